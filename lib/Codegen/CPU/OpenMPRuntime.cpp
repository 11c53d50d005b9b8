//===- OpenMPRuntime.cpp - Functions of OpenMP's run time -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenMPRuntime.h"

using namespace mlir;
using namespace mlir::xfmr;

FailureOr<Value> xfmr::callOpenMP(OpBuilder &builder, Location loc,
                                  func::FuncOp caller, StringRef name) {
  SymbolTable symbols(caller->getParentOp());
  auto type = builder.getFunctionType({}, {builder.getI32Type()});
  Operation *known = symbols.lookup(name);
  auto function = dyn_cast_if_present<func::FuncOp>(known);
  if (known && (!function || function.getFunctionType() != type))
    return known->emitOpError("has the name of a function of OpenMP");
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(caller);
    function = func::FuncOp::create(builder, caller.getLoc(), name, type);
    function.setPrivate();
  }
  return func::CallOp::create(builder, loc, function, ValueRange())
      .getResult(0);
}
