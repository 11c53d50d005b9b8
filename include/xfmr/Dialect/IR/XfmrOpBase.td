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
  let hasCanonicalizer = 1;
}

// A row op whose inner dims are reductions, tiled by partial results.
class Xfmr_ReductionRowOp<string mnemonic, list<Trait> traits = []>
    : Xfmr_RowOp<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<PartialReductionOpInterface, [
            "generateInitialTensorForPartialReduction",
            "tileToPartialReduction", "mergeReductions",
            "getPartialResultTilePosition"]>])>;

#endif // XFMR_DIALECT_IR_XFMROPBASE_TD
