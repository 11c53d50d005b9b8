//===- RuntimeChecksToStatus.cpp - Failed checks as a returned status -----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_RUNTIMECHECKSTOSTATUS
#include "xfmr/Dialect/Transforms/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// An early return leaves the function, so that it can only be made where
/// control is the function's own.
bool isTopLevel(Operation *op) { return isa<func::FuncOp>(op->getParentOp()); }

/// Rewrites one function that returns a status.
class StatusRewriter {
public:
  StatusRewriter(func::FuncOp function, ArrayRef<Attribute> messages)
      : function(function), messages(messages), builder(function) {}

  void rewriteSignature() {
    i32 = builder.getI32Type();
    unsigned numResults = function.getNumResults();
    SmallVector<func::ReturnOp> returns(
        function.getBody().getOps<func::ReturnOp>());
    (void)function.insertResults({numResults}, {i32}, {DictionaryAttr()});
    for (func::ReturnOp op : returns) {
      builder.setInsertionPoint(op);
      op.getOperandsMutable().append(constant(op.getLoc(), 0));
    }
  }

  /// `condition` holds, or the function returns `status`.
  void returnUnless(Operation *before, Value condition, Value status) {
    Block *block = before->getBlock();
    Block *rest = block->splitBlock(before);
    builder.setInsertionPointToEnd(block);
    cf::CondBranchOp::create(builder, before->getLoc(), condition, rest,
                             ValueRange(), getFailureBlock(before->getLoc()),
                             status);
  }

  void rewriteAssert(cf::AssertOp op) {
    const auto *message = llvm::find(messages, Attribute(op.getMsgAttr()));
    builder.setInsertionPoint(op);
    Value status = constant(op.getLoc(), message - messages.begin() + 1);
    returnUnless(op, op.getArg(), status);
    op.erase();
  }

  /// Gives the call the callee's new result, and hands its status on.
  void rewriteCall(func::CallOp call) {
    builder.setInsertionPoint(call);
    SmallVector<Type> types(call.getResultTypes());
    types.push_back(builder.getI32Type());
    auto replacement =
        func::CallOp::create(builder, call.getLoc(), types, call.getOperands());
    replacement->setAttrs(call->getAttrDictionary());
    call.replaceAllUsesWith(replacement.getResults().drop_back());
    Value status = replacement.getResults().back();
    Value isZero =
        arith::CmpIOp::create(builder, call.getLoc(), arith::CmpIPredicate::eq,
                              status, constant(call.getLoc(), 0));
    Operation *next = call->getNextNode();
    call.erase();
    if (isTopLevel(replacement)) {
      returnUnless(next, isZero, status);
      return;
    }
    builder.setInsertionPoint(next);
    cf::AssertOp::create(builder, replacement.getLoc(), isZero,
                         "a runtime check of '" +
                             replacement.getCallee().str() + "' failed");
  }

private:
  Value constant(Location loc, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  /// The block that returns its argument as the status, without results.
  Block *getFailureBlock(Location loc) {
    if (failure)
      return failure;
    OpBuilder::InsertionGuard guard(builder);
    failure = builder.createBlock(&function.getBody(), {},
                                  {builder.getI32Type()}, {loc});
    SmallVector<Value> results;
    for (Type type : function.getResultTypes().drop_back())
      results.push_back(ub::PoisonOp::create(builder, loc, type));
    results.push_back(failure->getArgument(0));
    func::ReturnOp::create(builder, loc, results);
    return failure;
  }

  func::FuncOp function;
  ArrayRef<Attribute> messages;
  OpBuilder builder;
  Type i32;
  Block *failure = nullptr;
};

struct RuntimeChecksToStatus
    : xfmr::impl::RuntimeChecksToStatusBase<RuntimeChecksToStatus> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection symbols;
    auto getCallee = [&](func::CallOp call) {
      return symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
    };

    // Functions that return a status: the public ones, those with a check of
    // their own, and those that call one that does.
    llvm::SetVector<func::FuncOp> functions;
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto function : module.getOps<func::FuncOp>()) {
        if (function.isDeclaration() || functions.contains(function) ||
            !(function.isPublic() ||
              llvm::any_of(function.getBody().getOps(), [&](Operation &op) {
                if (isa<cf::AssertOp>(op))
                  return true;
                auto call = dyn_cast<func::CallOp>(op);
                return call && functions.contains(getCallee(call));
              })))
          continue;
        functions.insert(function);
        changed = true;
      }
    }
    for (func::FuncOp function : functions)
      if (failed(checkUses(function)))
        return signalPassFailure();

    // One table of messages, so that a status means the same in all functions.
    llvm::SetVector<Attribute> messages;
    for (auto function : module.getOps<func::FuncOp>())
      if (auto known =
              function->getAttrOfType<ArrayAttr>(kStatusMessagesAttrName))
        messages.insert(known.begin(), known.end());
    for (func::FuncOp function : functions)
      for (auto op : function.getBody().getOps<cf::AssertOp>())
        messages.insert(op.getMsgAttr());
    auto table = ArrayAttr::get(&getContext(), messages.getArrayRef());

    SmallVector<func::CallOp> calls;
    module.walk([&](func::CallOp call) {
      if (functions.contains(getCallee(call)))
        calls.push_back(call);
    });
    llvm::MapVector<func::FuncOp, StatusRewriter> rewriters;
    for (func::FuncOp function : functions) {
      SmallVector<cf::AssertOp> asserts(
          function.getBody().getOps<cf::AssertOp>());
      auto &rewriter =
          rewriters.insert({function, {function, messages.getArrayRef()}})
              .first->second;
      rewriter.rewriteSignature();
      for (cf::AssertOp op : asserts)
        rewriter.rewriteAssert(op);
      function->setAttr(kStatusMessagesAttrName, table);
      remarkOnAborts(function);
    }
    for (func::CallOp call : calls) {
      auto function = call->getParentOfType<func::FuncOp>();
      auto *rewriter = rewriters.find(function);
      if (rewriter != rewriters.end())
        rewriter->second.rewriteCall(call);
      else
        StatusRewriter(function, {}).rewriteCall(call);
    }
  }

  /// A function whose type changes may be called, but not be a value.
  LogicalResult checkUses(func::FuncOp function) {
    auto uses = SymbolTable::getSymbolUses(function, getOperation());
    for (SymbolTable::SymbolUse use : uses ? *uses : SymbolTable::UseRange({}))
      if (!isa<func::CallOp>(use.getUser()))
        return use.getUser()->emitOpError()
               << "expected only direct calls of '" << function.getName()
               << "', which is to return a status";
    return success();
  }

  void remarkOnAborts(func::FuncOp function) {
    function.walk([&](cf::AssertOp op) {
      if (!isTopLevel(op))
        remark::missed(op.getLoc(), remark::RemarkOpts::name("check-aborts")
                                        .category(getArgument())
                                        .function(function.getName()))
            << "a check inside a region cannot return a status: it aborts when "
               "it fails";
    });
  }
};

} // namespace
