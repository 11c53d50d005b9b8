//===- SetTarget.cpp - The CPU that a module is compiled for --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/Target/CPUTarget.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_EXPORTENTRIES
#define GEN_PASS_DEF_SETTARGET
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {
/// What becomes a function attribute of LLVM.
constexpr StringLiteral kPassthrough = "passthrough";

struct SetTarget : xfmr::impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<CPUTarget> target = CPUTarget::get(cpu);
    if (!target) {
      emitError(module.getLoc()) << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    if (emulate) {
      target = CPUTarget::get("host");
      if (!target) {
        emitError(module.getLoc()) << llvm::toString(target.takeError());
        return signalPassFailure();
      }
    }
    auto machine = target->createTargetMachine(llvm::CodeGenOptLevel::Default);
    if (!machine) {
      emitError(module.getLoc()) << llvm::toString(machine.takeError());
      return signalPassFailure();
    }
    Builder builder(&getContext());
    module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                    builder.getStringAttr(target->triple));
    module->setAttr(
        LLVM::LLVMDialect::getDataLayoutAttrName(),
        builder.getStringAttr(
            (*machine)->createDataLayout().getStringRepresentation()));

    SmallVector<std::pair<StringRef, std::string>> attributes{
        {"target-cpu", target->cpu},
        {"target-features", target->features},
        // Some CPUs with 64-byte vectors are tuned for shorter ones unless
        // told.
        {"prefer-vector-width", std::to_string(target->vectorBytes * 8)}};
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        setAttributes(builder, function, attributes);
  }

  /// Puts the attributes in the place of those of the same name.
  void setAttributes(Builder &builder, func::FuncOp function,
                     ArrayRef<std::pair<StringRef, std::string>> attributes) {
    SmallVector<Attribute> all;
    if (auto known = function->getAttrOfType<ArrayAttr>(kPassthrough))
      for (Attribute attribute : known) {
        auto pair = dyn_cast<ArrayAttr>(attribute);
        auto name = pair && !pair.empty() ? dyn_cast<StringAttr>(pair[0])
                                          : StringAttr();
        if (!name || llvm::none_of(attributes, [&](const auto &attribute) {
              return attribute.first == name.getValue();
            }))
          all.push_back(attribute);
      }
    for (auto &[name, value] : attributes)
      if (!value.empty())
        all.push_back(builder.getStrArrayAttr({name, value}));
    function->setAttr(kPassthrough, builder.getArrayAttr(all));
  }
};

struct ExportEntries : xfmr::impl::ExportEntriesBase<ExportEntries> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      removeArgumentAttributes(function);
      if (function.isPublic() && !function.isDeclaration())
        function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                          UnitAttr::get(&getContext()));
    }
  }

  /// What is said of a tensor or memref means nothing on a pointer.
  void removeArgumentAttributes(func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (NamedAttribute attribute :
           function_interface_impl::getArgAttrs(function, i))
        if (isa_and_nonnull<XfmrDialect, bufferization::BufferizationDialect>(
                attribute.getNameDialect()))
          function.removeArgAttr(i, attribute.getName());
  }
};
} // namespace
