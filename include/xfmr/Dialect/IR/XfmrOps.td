//===- XfmrOps.td - All ops of the xfmr dialect -----------*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMROPS_TD
#define XFMR_DIALECT_IR_XFMROPS_TD

include "xfmr/Dialect/IR/XfmrNormOps.td"
include "xfmr/Dialect/IR/XfmrFFNOps.td"
include "xfmr/Dialect/IR/XfmrBlockOps.td"
include "xfmr/Dialect/IR/XfmrPackOps.td"

#endif // XFMR_DIALECT_IR_XFMROPS_TD
