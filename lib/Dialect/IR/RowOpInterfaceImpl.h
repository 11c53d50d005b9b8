//===- RowOpInterfaceImpl.h - Interfaces of row ops, once -----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface methods that every row op has, written over RowOpInterface. The
// ops' definitions forward to them (`Xfmr_RowOp` in XfmrOpBase.td).
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_IR_ROWOPINTERFACEIMPL_H
#define XFMR_LIB_DIALECT_IR_ROWOPINTERFACEIMPL_H

#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr::row_op {

void getEffects(
    RowOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects);
Speculation::Speculatability getSpeculatability(RowOpInterface op);
LogicalResult reifyResultShapes(RowOpInterface op, OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes);

// TilingInterface.
SmallVector<utils::IteratorType> getLoopIteratorTypes(RowOpInterface op);
SmallVector<Range> getIterationDomain(RowOpInterface op, OpBuilder &builder);
FailureOr<TilingResult> getTiledImplementation(RowOpInterface op,
                                               OpBuilder &builder,
                                               ArrayRef<OpFoldResult> offsets,
                                               ArrayRef<OpFoldResult> sizes);
LogicalResult getResultTilePosition(RowOpInterface op, OpBuilder &builder,
                                    unsigned resultNumber,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes,
                                    SmallVector<OpFoldResult> &resultOffsets,
                                    SmallVector<OpFoldResult> &resultSizes);
FailureOr<TilingResult> generateResultTileValue(RowOpInterface op,
                                                OpBuilder &builder,
                                                unsigned resultNumber,
                                                ArrayRef<OpFoldResult> offsets,
                                                ArrayRef<OpFoldResult> sizes);
LogicalResult getIterationDomainTileFromResultTile(
    RowOpInterface op, OpBuilder &builder, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes);
LogicalResult getIterationDomainTileFromOperandTiles(
    RowOpInterface op, OpBuilder &builder, ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes,
    SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes);
FailureOr<TilingResult> getTiledImplementationFromOperandTiles(
    RowOpInterface op, OpBuilder &builder, ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes);
bool isOpFusableWithConsumerSlice(RowOpInterface op, unsigned resultNumber,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes);
bool isOpFusableWithProducerSlices(
    RowOpInterface op, ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes);

} // namespace mlir::xfmr::row_op

#endif // XFMR_LIB_DIALECT_IR_ROWOPINTERFACEIMPL_H
