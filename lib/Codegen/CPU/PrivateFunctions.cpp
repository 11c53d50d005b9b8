//===- PrivateFunctions.cpp - Functions that lowerings make ---------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrivateFunctions.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::xfmr;

static constexpr StringLiteral kPassthrough = "passthrough";

func::FuncOp mlir::xfmr::createPrivateFunction(Location loc,
                                               FunctionOpInterface caller,
                                               Block::iterator position,
                                               StringRef name,
                                               FunctionType type) {
  auto function = func::FuncOp::create(loc, name, type);
  function.setPrivate();
  if (Attribute passthrough = caller->getDiscardableAttr(kPassthrough))
    function->setDiscardableAttr(kPassthrough, passthrough);
  SymbolTable(caller->getParentOp()).insert(function, position);
  return function;
}

func::FuncOp
mlir::xfmr::getKernelFunction(OpBuilder &builder, Location loc,
                              FunctionOpInterface caller, StringRef name,
                              FunctionType type,
                              function_ref<void(func::FuncOp)> emitBody) {
  if (auto known = dyn_cast_or_null<func::FuncOp>(
          SymbolTable::lookupSymbolIn(caller->getParentOp(), name));
      known && known.isPrivate() && known.getFunctionType() == type)
    return known;
  func::FuncOp kernel = createPrivateFunction(
      loc, caller, std::next(caller->getIterator()), name, type);
  SmallVector<Attribute> attributes{builder.getStringAttr("noinline")};
  if (auto known = kernel->getAttrOfType<ArrayAttr>(kPassthrough))
    llvm::append_range(attributes, known);
  kernel->setAttr(kPassthrough, builder.getArrayAttr(attributes));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  emitBody(kernel);
  return kernel;
}
