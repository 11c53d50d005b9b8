//===- DeallocateBuffers.cpp - The end of buffers' lives ------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's ownership-based deallocation says who frees what in any control flow.
// It has two rules that do not suit functions with destinations: every returned
// buffer is the caller's to free, so that a returned argument is copied, and a
// function may not free anything by itself. This pass takes returned arguments
// out of the signatures while MLIR's passes run, and marks buffers that are
// freed already as not theirs.
//
//===----------------------------------------------------------------------===//

#include "RowLoweringDetail.h"
#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_DEALLOCATEBUFFERS
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : memref::CastOp::create(builder, loc, type, value).getResult();
}

namespace {
/// A result that is an argument, whatever the function does.
struct ReturnedArgument {
  unsigned result, argument;
  Type type;
  DictionaryAttr attributes;
};

/// Takes returned arguments out of functions and their calls, and puts them
/// back.
class ReturnedArguments {
public:
  explicit ReturnedArguments(ModuleOp module) : module(module) {}

  /// Removes returned arguments until there are none left: a function may
  /// return the result of a call that is its own argument.
  void remove() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto function : module.getOps<func::FuncOp>())
        changed |= removeOne(function);
    }
  }

  void restore() {
    for (auto &[function, argument] : llvm::reverse(removed))
      restoreOne(function, argument);
  }

private:
  static SmallVector<func::ReturnOp> getReturns(func::FuncOp function) {
    return SmallVector<func::ReturnOp>(
        function.getBody().getOps<func::ReturnOp>());
  }
  static std::optional<ReturnedArgument> find(func::FuncOp function);
  /// The calls of the function; nothing when it is used in another way.
  std::optional<SmallVector<func::CallOp>> getCalls(func::FuncOp function);
  bool removeOne(func::FuncOp function);
  void restoreOne(func::FuncOp function, const ReturnedArgument &argument);
  void replaceCall(
      func::CallOp call, TypeRange types,
      function_ref<Value(OpBuilder &, func::CallOp, unsigned)> getResult);

  ModuleOp module;
  SmallVector<std::pair<func::FuncOp, ReturnedArgument>> removed;
};
} // namespace

std::optional<ReturnedArgument> ReturnedArguments::find(func::FuncOp function) {
  if (function.isDeclaration())
    return std::nullopt;
  Block *entry = &function.getBody().front();
  for (unsigned result = 0; result < function.getNumResults(); ++result) {
    std::optional<unsigned> number;
    bool isArgument = true;
    for (func::ReturnOp op : getReturns(function)) {
      auto argument = dyn_cast<BlockArgument>(skipCasts(op.getOperand(result)));
      isArgument &= argument && argument.getOwner() == entry &&
                    isa<MemRefType>(argument.getType()) &&
                    (!number || *number == argument.getArgNumber());
      if (!isArgument)
        break;
      number = argument.getArgNumber();
    }
    if (isArgument && number)
      return ReturnedArgument{result, *number,
                              function.getResultTypes()[result],
                              function.getResultAttrDict(result)};
  }
  return std::nullopt;
}

std::optional<SmallVector<func::CallOp>>
ReturnedArguments::getCalls(func::FuncOp function) {
  SmallVector<func::CallOp> calls;
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(function, module);
  if (!uses)
    return std::nullopt;
  for (SymbolTable::SymbolUse use : *uses) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!call)
      return std::nullopt;
    calls.push_back(call);
  }
  return calls;
}

void ReturnedArguments::replaceCall(
    func::CallOp call, TypeRange types,
    function_ref<Value(OpBuilder &, func::CallOp, unsigned)> getResult) {
  OpBuilder builder(call);
  auto replacement =
      func::CallOp::create(builder, call.getLoc(), types, call.getOperands());
  replacement->setAttrs(call->getAttrDictionary());
  for (OpResult result : call->getResults())
    result.replaceAllUsesWith(
        getResult(builder, replacement, result.getResultNumber()));
  call.erase();
}

bool ReturnedArguments::removeOne(func::FuncOp function) {
  std::optional<ReturnedArgument> found = find(function);
  if (!found)
    return false;
  auto calls = getCalls(function);
  if (!calls)
    return false;
  for (func::ReturnOp op : getReturns(function))
    op->eraseOperand(found->result);
  (void)function.eraseResult(found->result);
  for (func::CallOp call : *calls)
    replaceCall(call, function.getResultTypes(),
                [&](OpBuilder &builder, func::CallOp replacement,
                    unsigned result) -> Value {
                  if (result == found->result)
                    return castTo(builder, call.getLoc(),
                                  call.getOperand(found->argument),
                                  found->type);
                  return replacement.getResult(
                      result > found->result ? result - 1 : result);
                });
  if (function.isPublic())
    removed.push_back({function, *found});
  return true;
}

void ReturnedArguments::restoreOne(func::FuncOp function,
                                   const ReturnedArgument &argument) {
  (void)function.insertResult(argument.result, argument.type,
                              argument.attributes);
  for (func::ReturnOp op : getReturns(function)) {
    OpBuilder builder(op);
    SmallVector<Value> operands(op.getOperands());
    operands.insert(operands.begin() + argument.result,
                    castTo(builder, op.getLoc(),
                           function.getArgument(argument.argument),
                           argument.type));
    op.getOperandsMutable().assign(operands);
  }
  // Its callers use the argument.
  auto calls = getCalls(function);
  for (func::CallOp call : *calls)
    replaceCall(
        call, function.getResultTypes(),
        [&](OpBuilder &, func::CallOp replacement, unsigned result) -> Value {
          return replacement.getResult(result >= argument.result ? result + 1
                                                                 : result);
        });
}

static void buildDeallocation(OpPassManager &pm) {
  bufferization::buildBufferDeallocationPipeline(pm);
}

namespace {
struct DeallocateBuffers
    : xfmr::impl::DeallocateBuffersBase<DeallocateBuffers> {
  void getDependentDialects(DialectRegistry &registry) const override {
    DeallocateBuffersBase::getDependentDialects(registry);
    OpPassManager pm(ModuleOp::getOperationName());
    buildDeallocation(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    // MLIR's deallocation would add operands to their terminators.
    WalkResult blocks = getOperation()->walk([](ResidualBlockOp block) {
      block.emitOpError("expected to be expanded before buffers are "
                        "deallocated: run xfmr-expand-residual-blocks first");
      return WalkResult::interrupt();
    });
    if (blocks.wasInterrupted() || failed(markManual()))
      return signalPassFailure();
    ReturnedArguments returned(getOperation());
    returned.remove();
    OpPassManager pm(ModuleOp::getOperationName());
    buildDeallocation(pm);
    if (failed(runPipeline(pm, getOperation())))
      return signalPassFailure();
    returned.restore();
    getOperation()->walk([](Operation *op) {
      op->removeDiscardableAttr(
          bufferization::BufferizationDialect::kManualDeallocation);
    });
  }

  /// Marks the allocations that are freed already, and what frees them.
  LogicalResult markManual() {
    auto mark = [](Operation *op) {
      op->setDiscardableAttr(
          bufferization::BufferizationDialect::kManualDeallocation,
          UnitAttr::get(op->getContext()));
    };
    WalkResult walked = getOperation()->walk([&](memref::DeallocOp dealloc) {
      mark(dealloc);
      Value buffer = getBaseBuffer(dealloc.getMemref());
      Operation *op = buffer.getDefiningOp();
      if (op && isa<memref::AllocOp>(op)) {
        mark(op);
        return WalkResult::advance();
      }
      // An argument is not freed by anyone else.
      if (isa<BlockArgument>(buffer) &&
          isa<func::FuncOp>(buffer.getParentBlock()->getParentOp()) &&
          buffer.getParentBlock()->isEntryBlock())
        return WalkResult::advance();
      dealloc.emitOpError("expected a buffer that is allocated in the same "
                          "function, or an argument");
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }
};
} // namespace
