//===- XfmrDialect.cpp - The xfmr dialect -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "InterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "xfmr/Dialect/IR/PackedWeights.h"
#include "xfmr/Dialect/IR/RoundedTo.h"
#include "xfmr/Dialect/IR/RowLoops.h"
#include "xfmr/Dialect/IR/Xfmr.h"

using namespace mlir;
using namespace mlir::xfmr;

#include "xfmr/Dialect/IR/XfmrDialect.cpp.inc"
#include "xfmr/Dialect/IR/XfmrInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "xfmr/Dialect/IR/XfmrOps.cpp.inc"

namespace {
/// An op whose properties, read from the generic form, may hold nothing that
/// the op does not know: the generated function drops an unknown key, so that a
/// misspelt attribute would silently do nothing.
template <typename OpTy> struct StrictOp : OpTy {
  using OpTy::OpTy;

  template <typename Properties>
  static LogicalResult
  setPropertiesFromAttr(Properties &properties, Attribute attribute,
                        function_ref<InFlightDiagnostic()> emitError) {
    if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute))
      for (NamedAttribute property : dictionary)
        if (!llvm::is_contained(OpTy::getAttributeNames(),
                                property.getName().getValue()))
          return emitError()
                 << "expected no property '" << property.getName().getValue()
                 << "', which the op does not know";
    return OpTy::setPropertiesFromAttr(properties, attribute, emitError);
  }
};
} // namespace

// A strict op is registered as the op itself.
template <typename OpTy> class mlir::detail::TypeIDResolver<StrictOp<OpTy>> {
public:
  static TypeID resolveTypeID() { return TypeID::get<OpTy>(); }
};

void XfmrDialect::initialize() {
  auto addStrictly = [&](auto... ops) {
    addOperations<StrictOp<decltype(ops)>...>();
  };
  std::apply(addStrictly, std::tuple<
#define GET_OP_LIST
#include "xfmr/Dialect/IR/XfmrOps.cpp.inc"
                              >());
  registerAttributes();
}

LogicalResult XfmrDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argIndex,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kWeightAttrName)
    return op->emitError() << "expected no argument attribute '"
                           << attribute.getName().getValue()
                           << "', the dialect has '" << kWeightAttrName
                           << "' alone";
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitError() << "expected '" << kWeightAttrName
                           << "' without a value, got " << attribute.getValue();
  // Lowered functions keep the mark on what the argument became.
  if (auto function = dyn_cast<func::FuncOp>(op))
    if (Type type = function.getArgumentTypes()[argIndex];
        !isa<RankedTensorType, MemRefType>(type))
      return op->emitError() << "expected '" << kWeightAttrName
                             << "' on a ranked tensor or memref, got " << type;
  return success();
}

LogicalResult
XfmrDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                         NamedAttribute attribute) {
  return op->emitError() << "expected no result attribute '"
                         << attribute.getName().getValue()
                         << "', the dialect has none";
}

LogicalResult XfmrDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kStatusMessagesAttrName) {
    auto messages = dyn_cast<ArrayAttr>(attribute.getValue());
    if (isa<FunctionOpInterface>(op) && messages &&
        llvm::all_of(messages, llvm::IsaPred<StringAttr>))
      return success();
    return op->emitError() << "expected '" << kStatusMessagesAttrName
                           << "' to be an array of strings on a function";
  }
  if (attribute.getName() == kPackedWeightsAttrName) {
    if (isa<FunctionOpInterface>(op) && !getPackedArguments(op).empty())
      return success();
    return op->emitError() << "expected '" << kPackedWeightsAttrName
                           << "' to be an array of what the arguments of a "
                              "function are, such as {argument = 0}";
  }
  if (attribute.getName() == kRoundedToAttrName) {
    auto type = dyn_cast<TypeAttr>(attribute.getValue());
    bool isExp = isa<math::ExpOp>(op), isExp2 = isa<math::Exp2Op>(op);
    if (type && ((isExp && type.getValue().isF16()) ||
                 ((isExp || isExp2) && type.getValue().isBF16())))
      return success();
    return op->emitError() << "expected '" << kRoundedToAttrName
                           << "' to be f16 or bf16 on an exponential, or bf16 "
                              "on a power of two";
  }
  if (attribute.getName() == kAnyRowsAttrName) {
    if (isa<UnitAttr>(attribute.getValue()) &&
        op->getName().getStringRef() == "scf.forall")
      return success();
    return op->emitError() << "expected '" << kAnyRowsAttrName
                           << "' to be a unit on an scf.forall";
  }
  return op->emitError() << "expected no attribute '"
                         << attribute.getName().getValue()
                         << "', the dialect does not know it";
}

Type xfmr::getAccumulatorType(Type data) {
  return data.isF64() ? data : Float32Type::get(data.getContext());
}

bool xfmr::isDataType(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

void xfmr::registerXfmrDialect(DialectRegistry &registry) {
  registry.insert<XfmrDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
}
