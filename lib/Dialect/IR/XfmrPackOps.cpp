//===- XfmrPackOps.cpp - Packed weights -----------------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::xfmr;

/// A size of the packed weight, and what it is made of.
namespace {
struct PackedDim {
  StringRef name;
  unsigned dim, weightDim;
  int64_t divisor;
};
} // namespace

static std::array<PackedDim, 2> getPackedDims(PackWeightOp op) {
  return {PackedDim{"panels", 0, op.getOutputDim(), op.getColumns()},
          PackedDim{"steps", 1, op.getInputDim(), op.getGroup()}};
}

LogicalResult PackWeightOp::verify() {
  // C6, C1, C2.
  if (failed(verifyNoUnknownAttributes(*this)))
    return failure();
  MemRefType weight = getWeightType(), packed = getPackedType();
  if (weight.getRank() != 2)
    return emitOpError("expected ins of rank 2, got rank ") << weight.getRank();
  if (packed.getRank() != 3 && packed.getRank() != 4)
    return emitOpError("expected outs of rank 3 or 4, got rank ")
           << packed.getRank();
  if (!isDataType(weight.getElementType()))
    return emitOpError("expected ins of element type f16, bf16, f32 or f64, "
                       "got ")
           << weight.getElementType();
  if (packed.getElementType() != weight.getElementType())
    return emitOpError("expected outs of element type ")
           << weight.getElementType() << " as ins is, got "
           << packed.getElementType();
  // C3.
  for (int64_t dim = 2; dim < packed.getRank(); ++dim)
    if (packed.isDynamicDim(dim) || packed.getDimSize(dim) < 1)
      return emitOpError("expected dim ")
             << dim << " of outs to be static and positive, got "
             << (packed.isDynamicDim(dim) ? "?" : "0");
  // C4.
  for (const PackedDim &dim : getPackedDims(*this)) {
    int64_t size = weight.getDimSize(dim.weightDim);
    int64_t got = packed.getDimSize(dim.dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(got))
      continue;
    int64_t expected = llvm::divideCeil(size, dim.divisor);
    if (got != expected)
      return emitOpError("expected ")
             << expected << " " << dim.name << " of " << dim.divisor << " for "
             << size << (dim.dim == 0 ? " outputs" : " inputs") << ", got "
             << got;
  }
  // C5.
  SmallVector<int64_t> strides;
  int64_t offset, expected = 1;
  if (failed(packed.getStridesAndOffset(strides, offset)))
    return emitOpError("expected outs with strides, got ") << packed;
  for (int64_t dim = packed.getRank(); --dim > 0;) {
    if (strides[dim] != expected)
      return emitOpError("expected panels of outs without gaps: stride ")
             << expected << " in dim " << dim << ", got " << packed;
    expected *= dim > 1 ? packed.getDimSize(dim) : 1;
  }
  return success();
}

void PackWeightOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getInputMutable(),
                       SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getInitMutable(),
                       SideEffects::DefaultResource::get());
}

void PackWeightOp::generateRuntimeVerification(
    OpBuilder &builder, Location loc,
    function_ref<std::string(Operation *, StringRef)> message) {
  for (const PackedDim &dim : getPackedDims(*this)) {
    if (!getWeightType().isDynamicDim(dim.weightDim) &&
        !getPackedType().isDynamicDim(dim.dim))
      continue;
    Value size = memref::DimOp::create(builder, loc, getInput(), dim.weightDim);
    Value got = memref::DimOp::create(builder, loc, getInit(), dim.dim);
    Value divisor = arith::ConstantIndexOp::create(builder, loc, dim.divisor);
    Value expected = arith::CeilDivSIOp::create(builder, loc, size, divisor);
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        got, expected);
    std::string text = "expected as many " + dim.name.str() + " of " +
                       std::to_string(dim.divisor) + " as ins has " +
                       (dim.dim == 0 ? "outputs" : "inputs") + " for, in dim " +
                       std::to_string(dim.dim) + " of outs";
    cf::AssertOp::create(builder, loc, equal, message(*this, text));
  }
}
