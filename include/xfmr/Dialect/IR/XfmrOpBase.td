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

// The operand groups of an op, by their names in the assembly.
class Xfmr_Operands<list<string> names, list<int> required,
                    int firstDestination> {
  list<string> groupNames = names;
  // Indices of the groups that always hold one operand; others are optional.
  list<int> requiredGroups = required;
  // The destinations are this group and all after it.
  int firstDestinationGroup = firstDestination;
  // Two optional groups need sizes to tell them apart; ODS refuses sizes of
  // fewer.
  list<Trait> segments = !if(
      !gt(!sub(!size(names), !size(required)), 1),
      [AttrSizedOperandSegments], []<Trait>);
}

// A destination-passing op that says what the dims of its operands are. Each
// method is written once, over OperandDimsInterface, in lib/Dialect/IR: see
// InterfaceImpl.h.
class Xfmr_Op<string mnemonic, string cppName, Xfmr_Operands operands,
              list<Trait> traits>
    : Op<Xfmr_Dialect, mnemonic, !listconcat(operands.segments,
        !foreach(index, operands.requiredGroups,
                 Xfmr_One<cppName, index, operands.groupNames[index]>), [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<Xfmr_OperandDimsInterface>,
        DeclareOpInterfaceMethods<ConditionallySpeculatable>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<RuntimeVerifiableOpInterface>], traits)> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  code operandDeclarations = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      unsigned start = getODSOperandIndexAndLength(}] #
          operands.firstDestinationGroup # [{).first;
      return {getOperation(), start, getOperation()->getNumOperands() - start};
    }
  }];
  code operandDefinitions = [{
    ::llvm::StringRef $cppClass::getOperandName(::mlir::OpOperand &operand) {
      static constexpr ::llvm::StringLiteral names[] = }] #
          "{\"" # !interleave(operands.groupNames, "\", \"") # "\"};" # [{
      unsigned group = 0;
      while (true) {
        auto [start, length] = getODSOperandIndexAndLength(group);
        if (operand.getOperandNumber() < start + length)
          return names[group];
        ++group;
      }
    }
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
            ::mlir::MemoryEffects::Effect>> &effects) {
      operand_dims::getEffects(*this, effects);
    }
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return operand_dims::getSpeculatability(*this);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return operand_dims::reifyResultShapes(*this, builder, shapes);
    }
    void $cppClass::generateRuntimeVerification(
        ::mlir::OpBuilder &builder, ::mlir::Location loc,
        ::llvm::function_ref<std::string(::mlir::Operation *,
                                         ::llvm::StringRef)> message) {
      operand_dims::generateRuntimeVerification(*this, builder, loc, message);
    }
  }];
  let extraClassDeclaration = operandDeclarations;
  let extraClassDefinition = operandDefinitions;
}

// An op over rows, with everything that is written once over RowOpInterface.
class Xfmr_RowOp<string mnemonic, string cppName, Xfmr_Operands operands,
                 list<Trait> traits = []>
    : Xfmr_Op<mnemonic, cppName, operands, !listconcat([
        DeclareOpInterfaceMethods<Xfmr_RowOpInterface>,
        DeclareOpInterfaceMethods<TilingInterface, [
            "getLoopIteratorTypes", "getIterationDomain",
            "getTiledImplementation", "getResultTilePosition",
            "generateResultTileValue", "getIterationDomainTileFromResultTile",
            "getIterationDomainTileFromOperandTiles",
            "getTiledImplementationFromOperandTiles",
            "isOpFusableWithConsumerSlice", "isOpFusableWithProducerSlices"]>,
        DeclareOpInterfaceMethods<AggregatedOpInterface,
                                  ["decomposeOperation"]>], traits)> {
  code rowDefinitions = operandDefinitions # [{
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
  let extraClassDefinition = rowDefinitions;
}

// A row op whose inner dims are reductions, tiled by partial results. `family`
// is the namespace of the methods that its ops share; they take what `spec`
// gives.
class Xfmr_ReductionRowOp<string mnemonic, string cppName,
                          Xfmr_Operands operands, string family, string spec>
    : Xfmr_RowOp<mnemonic, cppName, operands, [
        DeclareOpInterfaceMethods<PartialReductionOpInterface, [
            "generateInitialTensorForPartialReduction",
            "tileToPartialReduction", "mergeReductions",
            "getPartialResultTilePosition"]>]> {
  code reductionDefinitions = rowDefinitions # !subst("$spec", spec,
      !subst("$family", family, [{
    ::llvm::SmallVector<::mlir::xfmr::OperandDim>
    $cppClass::getOperandDims(::mlir::OpOperand &operand) {
      return $family::getOperandDims($spec(), *this, operand);
    }
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::decomposeOperation(::mlir::OpBuilder &builder) {
      return $family::decompose(builder, getLoc(), $spec());
    }
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::generateInitialTensorForPartialReduction(
        ::mlir::OpBuilder &builder, ::mlir::Location loc,
        ::llvm::ArrayRef<::mlir::OpFoldResult> tileSizes,
        const ::llvm::SetVector<unsigned> &dims) {
      return $family::createPartialInit($spec(), *this, builder, loc, tileSizes,
                                        dims);
    }
    ::mlir::FailureOr<::mlir::TilingResult> $cppClass::tileToPartialReduction(
        ::mlir::OpBuilder &builder, ::mlir::Location loc,
        ::mlir::ReductionTilingStrategy strategy, ::mlir::ValueRange partial,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        const ::llvm::SetVector<unsigned> &dims,
        ::llvm::ArrayRef<::mlir::OpFoldResult> splitIndices) {
      return $family::tilePartial($spec(), *this, builder, loc, strategy,
                                  partial, offsets, sizes, dims);
    }
    ::mlir::FailureOr<::mlir::MergeResult> $cppClass::mergeReductions(
        ::mlir::OpBuilder &builder, ::mlir::Location loc,
        ::mlir::ValueRange partial, const ::llvm::SetVector<unsigned> &dims) {
      return $family::mergePartial($spec(), *this, builder, loc, partial, dims);
    }
    ::llvm::LogicalResult $cppClass::getPartialResultTilePosition(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::mlir::ReductionTilingStrategy strategy,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        const ::llvm::SetVector<unsigned> &dims,
        ::llvm::ArrayRef<::mlir::OpFoldResult> splitIndices,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultOffsets,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultSizes) {
      return $family::getPartialTilePosition($spec(), *this, builder, offsets,
                                             sizes, resultOffsets, resultSizes);
    }
  }]));
  let extraClassDefinition = reductionDefinitions;
}

#endif // XFMR_DIALECT_IR_XFMROPBASE_TD
