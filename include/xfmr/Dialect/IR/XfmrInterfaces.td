//===- XfmrInterfaces.td - What an xfmr op says of itself --*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRINTERFACES_TD
#define XFMR_DIALECT_IR_XFMRINTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Xfmr_OperandDimsInterface : OpInterface<"OperandDimsInterface",
                                            [DestinationStyleOpInterface]> {
  let cppNamespace = "::mlir::xfmr";
  let description = [{
    An op that says which dims of its operands are equal. The verification of
    shapes, statically and at run time, and their refinement are written once
    over this interface.
  }];
  let methods = [
    InterfaceMethod<[{
        A symbol for every dim that the operand has, counted from 0. There are
        as many as the operand's rank has to be.
      }],
      "::llvm::SmallVector<::mlir::xfmr::OperandDim>", "getOperandDims",
      (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<"The operand's name in the assembly.",
      "::llvm::StringRef", "getOperandName",
      (ins "::mlir::OpOperand &":$operand)>,
  ];
}

def Xfmr_RowOpInterface : OpInterface<"RowOpInterface",
                                      [Xfmr_OperandDimsInterface]> {
  let cppNamespace = "::mlir::xfmr";
  let description = [{
    An op that works on every row of its input alone. Its iteration domain is
    the row dims, all parallel, followed by the inner dims: the normalised dims
    of a norm, the hidden dim of a feed-forward network. The symbols of its
    operands' dims (OperandDimsInterface) below the rank of the domain are the
    domain's dims. Tiling, bufferization, shape reification, memory effects and
    speculation are written once over this interface.
  }];
  let methods = [
    InterfaceMethod<"The operand whose leading dims are the rows.",
      "::mlir::TypedValue<::mlir::ShapedType>", "getRowInput", (ins), [{}], [{
        return ::llvm::cast<::mlir::TypedValue<::mlir::ShapedType>>(
            $_op->getOperand(0));
      }]>,
    InterfaceMethod<"How many leading dims of the input are rows.",
      "int64_t", "getNumRowDims">,
    InterfaceMethod<[{
        The kinds of the inner dims of the iteration domain: `reduction` when
        their tiles do not hold a result by themselves.
      }],
      "::llvm::SmallVector<::mlir::utils::IteratorType>", "getInnerIteratorTypes">,
    InterfaceMethod<[{
        For every dim of the operand, the dim of the iteration domain that walks
        it, or -1 when every tile needs the whole of it.
      }],
      "::llvm::SmallVector<int64_t>", "getDomainDims",
      (ins "::mlir::OpOperand &":$operand), [{}], [{
        return ::mlir::xfmr::detail::getDomainDims($_op, operand);
      }]>,
    InterfaceMethod<[{
        True when element i of a result is written after the last read of the
        inputs' elements i, so that a destination may be one of the inputs.
      }],
      "bool", "isElementwiseInPlace">,
  ];
}

#endif // XFMR_DIALECT_IR_XFMRINTERFACES_TD
