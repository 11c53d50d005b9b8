//===- XfmrOpBase.td - What all ops of the dialect share -*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMROPBASE_TD
#define XFMR_DIALECT_IR_XFMROPBASE_TD

include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/RuntimeVerifiableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "xfmr/Dialect/IR/XfmrAttributes.td"
include "xfmr/Dialect/IR/XfmrInterfaces.td"

def Xfmr_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef],
                            "ranked tensor or strided memref">;

// ODS does not check that the segment of a required operand holds one element:
// wrong segment sizes in the generic form would make the first accessor read
// past the operands. Operand traits are checked before interfaces and verify().
class Xfmr_One<string op, int index, string operand>
    : PredOpTrait<"there is one '" # operand # "' operand",
        CPred<"::llvm::cast<" # op #
              ">($_op).getODSOperandIndexAndLength(" # index #
              ").second == 1">>;

// An op over rows, with everything that is written once over RowOpInterface.
class Xfmr_RowOp<string mnemonic, list<Trait> traits = []>
    : Op<Xfmr_Dialect, mnemonic, !listconcat([AttrSizedOperandSegments], traits, [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<Xfmr_RowOpInterface>,
        DeclareOpInterfaceMethods<ConditionallySpeculatable>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<RuntimeVerifiableOpInterface>,
        DeclareOpInterfaceMethods<TilingInterface, [
            "getLoopIteratorTypes", "getIterationDomain",
            "getTiledImplementation", "getResultTilePosition",
            "generateResultTileValue", "getIterationDomainTileFromResultTile",
            "getIterationDomainTileFromOperandTiles",
            "getTiledImplementationFromOperandTiles",
            "isOpFusableWithConsumerSlice", "isOpFusableWithProducerSlices"]>,
        DeclareOpInterfaceMethods<AggregatedOpInterface,
                                  ["decomposeOperation"]>])> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  // Each method is written once, over RowOpInterface, in lib/Dialect/IR: see
  // RowOpInterfaceImpl.h.
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
            ::mlir::MemoryEffects::Effect>> &effects) {
      row_op::getEffects(*this, effects);
    }
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return row_op::getSpeculatability(*this);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return row_op::reifyResultShapes(*this, builder, shapes);
    }
    ::llvm::SmallVector<::mlir::utils::IteratorType>
    $cppClass::getLoopIteratorTypes() {
      return row_op::getLoopIteratorTypes(*this);
    }
    ::llvm::SmallVector<::mlir::Range>
    $cppClass::getIterationDomain(::mlir::OpBuilder &builder) {
      return row_op::getIterationDomain(*this, builder);
    }
    ::mlir::FailureOr<::mlir::TilingResult> $cppClass::getTiledImplementation(
        ::mlir::OpBuilder &builder,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return row_op::getTiledImplementation(*this, builder, offsets, sizes);
    }
    ::llvm::LogicalResult $cppClass::getResultTilePosition(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultOffsets,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultSizes) {
      return row_op::getResultTilePosition(*this, builder, resultNumber,
                                           offsets, sizes, resultOffsets,
                                           resultSizes);
    }
    ::mlir::FailureOr<::mlir::TilingResult> $cppClass::generateResultTileValue(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return row_op::generateResultTileValue(*this, builder, resultNumber,
                                             offsets, sizes);
    }
    ::llvm::LogicalResult $cppClass::getIterationDomainTileFromResultTile(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainOffsets,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainSizes) {
      return row_op::getIterationDomainTileFromResultTile(
          *this, builder, resultNumber, offsets, sizes, domainOffsets,
          domainSizes);
    }
    ::llvm::LogicalResult $cppClass::getIterationDomainTileFromOperandTiles(
        ::mlir::OpBuilder &builder, ::llvm::ArrayRef<unsigned> operandNumbers,
        ::llvm::ArrayRef<::llvm::SmallVector<::mlir::OpFoldResult>> offsets,
        ::llvm::ArrayRef<::llvm::SmallVector<::mlir::OpFoldResult>> sizes,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainOffsets,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainSizes) {
      return row_op::getIterationDomainTileFromOperandTiles(
          *this, builder, operandNumbers, offsets, sizes, domainOffsets,
          domainSizes);
    }
    ::mlir::FailureOr<::mlir::TilingResult>
    $cppClass::getTiledImplementationFromOperandTiles(
        ::mlir::OpBuilder &builder, ::llvm::ArrayRef<unsigned> operandNumbers,
        ::llvm::ArrayRef<::llvm::SmallVector<::mlir::OpFoldResult>> offsets,
        ::llvm::ArrayRef<::llvm::SmallVector<::mlir::OpFoldResult>> sizes) {
      return row_op::getTiledImplementationFromOperandTiles(
          *this, builder, operandNumbers, offsets, sizes);
    }
    bool $cppClass::isOpFusableWithConsumerSlice(
        unsigned resultNumber, ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return row_op::isOpFusableWithConsumerSlice(*this, resultNumber, offsets,
                                                  sizes);
    }
    bool $cppClass::isOpFusableWithProducerSlices(
        ::llvm::ArrayRef<unsigned> operandNumbers,
        ::llvm::ArrayRef<::llvm::SmallVector<::mlir::OpFoldResult>> offsets,
        ::llvm::ArrayRef<::llvm::SmallVector<::mlir::OpFoldResult>> sizes) {
      return row_op::isOpFusableWithProducerSlices(*this, operandNumbers,
                                                   offsets, sizes);
    }
  }];
}

// A row op whose inner dims are reductions, tiled by partial results.
class Xfmr_ReductionRowOp<string mnemonic, list<Trait> traits = []>
    : Xfmr_RowOp<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<PartialReductionOpInterface, [
            "generateInitialTensorForPartialReduction",
            "tileToPartialReduction", "mergeReductions",
            "getPartialResultTilePosition"]>])>;

#endif // XFMR_DIALECT_IR_XFMROPBASE_TD
