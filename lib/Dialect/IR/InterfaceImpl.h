//===- InterfaceImpl.h - Interface methods that ops share -------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface methods that are written once for all ops or for a family of
// ops. The ops' definitions forward to them (XfmrOpBase.td).
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_IR_INTERFACEIMPL_H
#define XFMR_LIB_DIALECT_IR_INTERFACEIMPL_H

#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// Methods of every op that says what the dims of its operands are.
namespace operand_dims {

void getEffects(
    OperandDimsInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects);
Speculation::Speculatability getSpeculatability(OperandDimsInterface op);
LogicalResult reifyResultShapes(OperandDimsInterface op, OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes);
void generateRuntimeVerification(
    OperandDimsInterface op, OpBuilder &builder, Location loc,
    function_ref<std::string(Operation *, StringRef)> message);

} // namespace operand_dims

/// Methods of every op over rows: TilingInterface.
namespace row_op {

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

} // namespace row_op

/// Methods of the norms.
namespace norm_op {

SmallVector<OperandDim> getOperandDims(const NormSpec &spec, RowOpInterface op,
                                       OpOperand &operand);
FailureOr<SmallVector<Value>> decompose(OpBuilder &builder, Location loc,
                                        const NormSpec &spec);

// PartialReductionOpInterface.
FailureOr<SmallVector<Value>>
createPartialInit(const NormSpec &spec, RowOpInterface op, OpBuilder &builder,
                  Location loc, ArrayRef<OpFoldResult> tileSizes,
                  const SetVector<unsigned> &dims);
FailureOr<TilingResult>
tilePartial(const NormSpec &spec, RowOpInterface op, OpBuilder &builder,
            Location loc, ReductionTilingStrategy strategy, ValueRange partial,
            ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
            const SetVector<unsigned> &dims);
FailureOr<MergeResult> mergePartial(const NormSpec &spec, RowOpInterface op,
                                    OpBuilder &builder, Location loc,
                                    ValueRange partial,
                                    const SetVector<unsigned> &dims);
LogicalResult getPartialTilePosition(const NormSpec &spec, RowOpInterface op,
                                     OpBuilder &builder,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes,
                                     SmallVector<OpFoldResult> &partialOffsets,
                                     SmallVector<OpFoldResult> &partialSizes);

} // namespace norm_op

/// Methods of the feed-forward networks.
namespace network_op {

SmallVector<OperandDim> getOperandDims(const FFNSpec &spec, RowOpInterface op,
                                       OpOperand &operand);
FailureOr<SmallVector<Value>> decompose(OpBuilder &builder, Location loc,
                                        const FFNSpec &spec);

// PartialReductionOpInterface.
FailureOr<SmallVector<Value>>
createPartialInit(const FFNSpec &spec, RowOpInterface op, OpBuilder &builder,
                  Location loc, ArrayRef<OpFoldResult> tileSizes,
                  const SetVector<unsigned> &dims);
FailureOr<TilingResult>
tilePartial(const FFNSpec &spec, RowOpInterface op, OpBuilder &builder,
            Location loc, ReductionTilingStrategy strategy, ValueRange partial,
            ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
            const SetVector<unsigned> &dims);
FailureOr<MergeResult> mergePartial(const FFNSpec &spec, RowOpInterface op,
                                    OpBuilder &builder, Location loc,
                                    ValueRange partial,
                                    const SetVector<unsigned> &dims);
LogicalResult getPartialTilePosition(const FFNSpec &spec, RowOpInterface op,
                                     OpBuilder &builder,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes,
                                     SmallVector<OpFoldResult> &partialOffsets,
                                     SmallVector<OpFoldResult> &partialSizes);

} // namespace network_op

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_IR_INTERFACEIMPL_H
