//===- MathJit.cpp - Compiles an elementwise function and runs it ---------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathJit.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "xfmr/Codegen/Math/Passes.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::xfmr::test;

static void registerOnce() {
  [[maybe_unused]] static bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    registerAllPasses();
    return true;
  }();
}

MathJit::MathJit() {
  registerOnce();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                      memref::MemRefDialect, scf::SCFDialect,
                      vector::VectorDialect>();
  module = ModuleOp::create(UnknownLoc::get(&context));
}

void MathJit::add(StringRef name, Type from, Type to, unsigned lanes,
                  unsigned inputs, const Body &body) {
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  Location loc = module->getLoc();
  SmallVector<Type> types(inputs,
                          MemRefType::get({ShapedType::kDynamic}, from));
  types.push_back(MemRefType::get({ShapedType::kDynamic}, to));
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value step = arith::ConstantIndexOp::create(builder, loc, lanes ? lanes : 1);
  Value output = function.getArguments().back();
  Value size = memref::DimOp::create(builder, loc, output, zero);
  scf::ForOp::create(
      builder, loc, zero, size, step, ValueRange(),
      [&](OpBuilder &b, Location loc, Value i, ValueRange) {
        SmallVector<Value> operands;
        for (Value input : function.getArguments().drop_back())
          operands.push_back(
              lanes ? vector::LoadOp::create(
                          b, loc, VectorType::get({lanes}, from), input, i)
                          .getResult()
                    : memref::LoadOp::create(b, loc, input, i).getResult());
        Value result = body(b, loc, operands);
        if (lanes)
          vector::StoreOp::create(b, loc, result, output, i);
        else
          memref::StoreOp::create(b, loc, result, output, i);
        scf::YieldOp::create(b, loc);
      });
  func::ReturnOp::create(builder, loc);
}

std::string MathJit::compile(bool expand, bool native) {
  if (failed(verify(*module)))
    return "the module does not verify";
  PassManager pm(&context);
  if (expand) {
    pm.addPass(createExpandMath({/*nativeScale=*/native, /*nativeMax=*/false}));
    pm.addPass(createExpandNarrowFloat({/*nativeBF16=*/native}));
  }
  FailureOr<OpPassManager> lowering = parsePassPipeline(
      "builtin.module(cse,convert-math-to-libm,convert-scf-to-cf,"
      "convert-vector-to-llvm,convert-math-to-llvm,finalize-memref-to-llvm,"
      "convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,"
      "convert-cf-to-llvm,reconcile-unrealized-casts)");
  if (failed(lowering))
    return "the pipeline does not parse";
  PassManager lower(&context);
  static_cast<OpPassManager &>(lower) = std::move(*lowering);
  if (failed(pm.run(*module)) || failed(lower.run(*module)))
    return "lowering failed";

  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target)
    return llvm::toString(target.takeError());
  target->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  auto machine = target->createTargetMachine();
  if (!machine)
    return llvm::toString(machine.takeError());
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(3, 0, machine->get());
  options.transformer = optimize;
  auto created = ExecutionEngine::create(*module, options, std::move(*machine));
  if (!created)
    return llvm::toString(created.takeError());
  engine = std::move(*created);
  engine->initialize();
  return "";
}

void MathJit::run(StringRef name, const std::vector<const void *> &inputs,
                  void *output, int64_t size) {
  // The descriptor does not depend on the element type.
  std::vector<StridedMemRefType<char, 1>> descriptors;
  for (const void *input : inputs) {
    char *data = static_cast<char *>(const_cast<void *>(input));
    descriptors.push_back({data, data, 0, {size}, {1}});
  }
  char *data = static_cast<char *>(output);
  descriptors.push_back({data, data, 0, {size}, {1}});
  std::vector<void *> pointers;
  for (auto &descriptor : descriptors)
    pointers.push_back(&descriptor);
  SmallVector<void *> arguments;
  for (void *&pointer : pointers)
    arguments.push_back(&pointer);
  llvm::cantFail(
      engine->invokePacked(("_mlir_ciface_" + name).str(), arguments));
}

std::vector<bool> mlir::xfmr::test::getNativeForms() {
  if (llvm::sys::getHostCPUFeatures().lookup("avx512dq"))
    return {false, true};
  return {false};
}
