//===- LowerRowLoops.cpp - Parallel loops as OpenMP regions -----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopWork.h"
#include "PrivateFunctions.h"
#include "RowLoweringLong.h"
#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_LOWERROWLOOPS
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// An element of a norm's row takes about so many operations.
static constexpr int64_t kOperationsPerElement = 12;

namespace {
/// Whether threads may be started where a loop stands: always, never (inside
/// of a parallel loop), or where a value of type i1 says so at run time.
struct Fork {
  bool never = false;
  Value where;
};

/// Moves the body of a loop into a function that runs a range of iterations.
class LoopOutliner {
public:
  LoopOutliner(RewriterBase &rewriter, scf::ForallOp loop, bool takesFork)
      : rewriter(rewriter), loop(loop), takesFork(takesFork) {}

  func::FuncOp outline();
  /// Runs the iterations from `from` to `to`, counted from 0 in the order of
  /// the loop's dims.
  void emitCall(Location loc, Value from, Value to, bool mayFork);

  func::FuncOp function;
  Value fork;

private:
  void emitLoop(ValueRange lowerBounds, ValueRange upperBounds,
                ValueRange steps);

  RewriterBase &rewriter;
  scf::ForallOp loop;
  bool takesFork;
  SmallVector<Value> captures;
};
} // namespace

/// The loop over the range, and the body in it. `function`'s arguments are
/// the range.
void LoopOutliner::emitLoop(ValueRange lowerBounds, ValueRange upperBounds,
                            ValueRange steps) {
  Location loc = loop.getLoc();
  Value from = function.getArgument(0), to = function.getArgument(1);
  Block *body;
  SmallVector<Value> positions;
  if (loop.getRank() == 1) {
    auto place = [&](Value iteration) {
      Value offset = arith::MulIOp::create(rewriter, loc, iteration, steps[0]);
      return arith::AddIOp::create(rewriter, loc, lowerBounds[0], offset)
          .getResult();
    };
    Value last =
        arith::MinSIOp::create(rewriter, loc, place(to), upperBounds[0]);
    auto chunk = scf::ForOp::create(rewriter, loc, place(from), last, steps[0]);
    body = chunk.getBody();
    positions = {chunk.getInductionVar()};
    rewriter.setInsertionPointToStart(body);
  } else {
    // The positions move on like the digits of a counter.
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> counts;
    for (auto [lower, upper, step] :
         llvm::zip_equal(lowerBounds, upperBounds, steps)) {
      Value last = arith::AddIOp::create(
          rewriter, loc, arith::SubIOp::create(rewriter, loc, upper, lower),
          arith::SubIOp::create(rewriter, loc, step, one));
      // Of an empty range no position is asked for.
      counts.push_back(arith::MaxSIOp::create(
          rewriter, loc, one,
          arith::DivSIOp::create(rewriter, loc, last, step)));
    }
    Value rest = from;
    SmallVector<Value> first(counts.size());
    for (int64_t dim = counts.size() - 1; dim >= 0; --dim) {
      Value digit = rest;
      if (dim > 0) {
        digit = arith::RemUIOp::create(rewriter, loc, rest, counts[dim]);
        rest = arith::DivUIOp::create(rewriter, loc, rest, counts[dim]);
      }
      first[dim] = arith::AddIOp::create(
          rewriter, loc, lowerBounds[dim],
          arith::MulIOp::create(rewriter, loc, digit, steps[dim]));
    }
    auto chunk = scf::ForOp::create(rewriter, loc, from, to, one, first);
    body = chunk.getBody();
    positions = llvm::to_vector_of<Value>(chunk.getRegionIterArgs());
    rewriter.setInsertionPointToEnd(body);
    SmallVector<Value> next(positions.size());
    Value carry =
        arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    for (int64_t dim = positions.size() - 1; dim >= 0; --dim) {
      Value moved =
          arith::AddIOp::create(rewriter, loc, positions[dim], steps[dim]);
      Value wraps = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::sge, moved, upperBounds[dim]);
      Value there = arith::SelectOp::create(rewriter, loc, wraps,
                                            lowerBounds[dim], moved);
      next[dim] =
          arith::SelectOp::create(rewriter, loc, carry, there, positions[dim]);
      carry = arith::AndIOp::create(rewriter, loc, carry, wraps);
    }
    scf::YieldOp::create(rewriter, loc, next);
    rewriter.setInsertionPointToStart(body);
  }
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), body, body->begin(), positions);
}

func::FuncOp LoopOutliner::outline() {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = loop.getLoc();
  auto parent = loop->getParentOfType<func::FuncOp>();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> lower = loop.getLowerBound(rewriter),
                     upper = loop.getUpperBound(rewriter),
                     step = loop.getStep(rewriter);
  llvm::SetVector<Value> used;
  for (ArrayRef<Value> values : {lower, upper, step})
    used.insert(values.begin(), values.end());
  getUsedValuesDefinedAbove(loop.getRegion(), used);

  SmallVector<Value> constants;
  for (Value value : used)
    (matchPattern(value, m_Constant()) ? constants : captures).push_back(value);
  SmallVector<Type> types(2, rewriter.getIndexType());
  if (takesFork)
    types.push_back(rewriter.getI1Type());
  llvm::append_range(types, ValueRange(captures).getTypes());

  function = createPrivateFunction(loc, parent, parent->getIterator(),
                                   (parent.getName() + "_loop").str(),
                                   rewriter.getFunctionType(types, {}));

  Block *entry = function.addEntryBlock();
  rewriter.setInsertionPointToStart(entry);
  IRMapping mapping;
  for (Value value : constants)
    rewriter.clone(*value.getDefiningOp(), mapping);
  mapping.map(captures, entry->getArguments().take_back(captures.size()));
  if (takesFork)
    fork = entry->getArgument(2);
  auto map = [&](ArrayRef<Value> values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookup(value); });
  };
  emitLoop(map(lower), map(upper), map(step));
  rewriter.setInsertionPointToEnd(entry);
  func::ReturnOp::create(rewriter, loc);
  for (Value value : used)
    rewriter.replaceUsesWithIf(value, mapping.lookup(value),
                               [&](OpOperand &operand) {
                                 return function.getBody().isAncestor(
                                     operand.getOwner()->getParentRegion());
                               });
  return function;
}

void LoopOutliner::emitCall(Location loc, Value from, Value to, bool mayFork) {
  SmallVector<Value> operands = {from, to};
  if (takesFork)
    operands.push_back(arith::ConstantOp::create(
        rewriter, loc, rewriter.getBoolAttr(mayFork)));
  llvm::append_range(operands, captures);
  func::CallOp::create(rewriter, loc, function, operands);
}

namespace {
struct LowerRowLoops : xfmr::impl::LowerRowLoopsBase<LowerRowLoops> {
  using LowerRowLoopsBase::LowerRowLoopsBase;

  void runOnOperation() override {
    if (parallelFrom < 0) {
      getOperation()->emitError("expected parallel-from of 0 or more, got ")
          << parallelFrom.getValue();
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> loops = getOutermost(getOperation());
    for (scf::ForallOp loop : loops)
      if (failed(lower(rewriter, loop, {})))
        return signalPassFailure();
  }

  /// The loops in `root` that are in no other of them, and in no parallel loop
  /// of another kind, which is taken on by others.
  static SmallVector<scf::ForallOp> getOutermost(Operation *root) {
    SmallVector<scf::ForallOp> loops;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto loop = dyn_cast<scf::ForallOp>(op);
      if (!loop || op == root)
        return WalkResult::advance();
      loops.push_back(loop);
      return WalkResult::skip();
    });
    return loops;
  }

  LogicalResult lowerNested(RewriterBase &rewriter,
                            ArrayRef<scf::ForallOp> nested, const Fork &fork) {
    for (scf::ForallOp loop : nested)
      if (failed(lower(rewriter, loop, fork)))
        return failure();
    return success();
  }

  remark::RemarkOpts getRemark(StringRef name) {
    return remark::RemarkOpts::name(name).category(getArgument());
  }

  LogicalResult lowerSequential(RewriterBase &rewriter, scf::ForallOp loop,
                                const Fork &fork, StringRef reason) {
    remark::passed(loop.getLoc(), getRemark("sequential"))
        << "loop for one thread" << remark::reason("{0}", reason);
    SmallVector<scf::ForallOp> nested = getOutermost(loop);
    rewriter.setInsertionPoint(loop);
    if (failed(scf::forallToForLoop(rewriter, loop)))
      return loop.emitOpError("cannot be lowered to a loop");
    return lowerNested(rewriter, nested, fork);
  }

  LogicalResult lower(RewriterBase &rewriter, scf::ForallOp loop,
                      const Fork &fork) {
    if (loop->getNumResults())
      return loop.emitOpError("expected a loop on memrefs, got one with "
                              "results: bufferize first");
    auto function = loop->getParentOfType<func::FuncOp>();
    StringRef reason;
    if (threads == 1)
      reason = "there is one thread";
    else if (fork.never || loop->getParentOfType<scf::ParallelOp>() ||
             loop->getParentOfType<omp::ParallelOp>())
      reason = "it is inside of a parallel loop";
    else if (!function)
      reason = "it is not in a function";
    if (!reason.empty())
      return lowerSequential(rewriter, loop, fork, reason);

    Location loc = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    SmallVector<scf::ForallOp> nested = getOutermost(loop);
    LoopWork work = emitLoopWork(rewriter, loop);
    FailureOr<Value> worth =
        loop->hasAttr(rows::kSharedRowAttrName)
            ? FailureOr<Value>(arith::ConstantOp::create(
                  rewriter, loc, rewriter.getBoolAttr(true)))
            : emitWorth(rewriter, loc, function, work, nested);
    if (failed(worth))
      return failure();
    IntegerAttr known;
    bool isKnown = matchPattern(*worth, m_Constant(&known));
    if (isKnown && known.getValue().isZero())
      return lowerSequential(rewriter, loop, fork,
                             "there is too little work for several threads");
    if (!isKnown && fork.where)
      worth =
          arith::AndIOp::create(rewriter, loc, *worth, fork.where).getResult();
    else if (fork.where)
      worth = fork.where;
    bool decided = isKnown && !fork.where;
    remark::passed(loc, getRemark("parallel"))
        << (decided ? "loop for several threads"
                    : "loop for several threads where it is large enough");

    LoopOutliner outliner(rewriter, loop, !decided && !nested.empty());
    outliner.outline();
    if (decided) {
      if (failed(emitRegion(rewriter, loc, function, outliner, work)))
        return failure();
    } else {
      auto branch = scf::IfOp::create(rewriter, loc, *worth,
                                      /*withElseRegion=*/true);
      rewriter.setInsertionPoint(branch.thenYield());
      if (failed(emitRegion(rewriter, loc, function, outliner, work)))
        return failure();
      rewriter.setInsertionPoint(branch.elseYield());
      Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
      outliner.emitCall(loc, zero, work.iterations, /*mayFork=*/true);
    }
    rewriter.eraseOp(loop);
    return lowerNested(rewriter, nested,
                       {/*never=*/decided, /*where=*/outliner.fork});
  }

  /// A function of OpenMP's run time that takes nothing.
  FailureOr<Value> callRuntime(OpBuilder &builder, Location loc,
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
    Value result =
        func::CallOp::create(builder, loc, function, ValueRange()).getResult(0);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      result)
        .getResult();
  }

  /// Whether several threads are worth starting: there is enough to do, and
  /// something for each thread if the loops inside would have that.
  FailureOr<Value> emitWorth(RewriterBase &rewriter, Location loc,
                             func::FuncOp function, const LoopWork &work,
                             ArrayRef<scf::ForallOp> nested) {
    auto atLeast = [&](Value value, Value bound) {
      return rewriter.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::sge, value, bound);
    };
    Value needed = arith::ConstantIndexOp::create(rewriter, loc, 2);
    if (!nested.empty()) {
      FailureOr<Value> most =
          threads != 0
              ? FailureOr<Value>(
                    arith::ConstantIndexOp::create(rewriter, loc, threads))
              : callRuntime(rewriter, loc, function, "omp_get_max_threads");
      if (failed(most))
        return failure();
      needed = rewriter.createOrFold<arith::MaxSIOp>(
          loc, needed,
          rewriter.createOrFold<arith::MinSIOp>(loc, *most,
                                                work.nestedIterations));
    }
    Value enough = atLeast(
        work.operations,
        arith::ConstantIndexOp::create(
            rewriter, loc, parallelFrom.getValue() * kOperationsPerElement));
    return rewriter.createOrFold<arith::AndIOp>(
        loc, enough, atLeast(work.iterations, needed));
  }

  /// Every thread takes iterations that follow each other.
  LogicalResult emitRegion(RewriterBase &rewriter, Location loc,
                           func::FuncOp function, LoopOutliner &outliner,
                           const LoopWork &work) {
    omp::ParallelOperands clauses;
    if (threads != 0)
      clauses.numThreads = LLVM::ConstantOp::create(
          rewriter, loc, rewriter.getI32IntegerAttr(threads));
    auto region = omp::ParallelOp::create(rewriter, loc, clauses);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.createBlock(&region.getRegion());
    // Not a loop of OpenMP: the run time takes longer to share one than all
    // else that starting threads costs.
    FailureOr<Value> thread =
        callRuntime(rewriter, loc, function, "omp_get_thread_num");
    FailureOr<Value> count =
        callRuntime(rewriter, loc, function, "omp_get_num_threads");
    if (failed(thread) || failed(count))
      return failure();
    auto getStart = [&](Value number) {
      return arith::DivUIOp::create(
                 rewriter, loc,
                 arith::MulIOp::create(rewriter, loc, work.iterations, number),
                 *count)
          .getResult();
    };
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value next = arith::AddIOp::create(rewriter, loc, *thread, one);
    outliner.emitCall(loc, getStart(*thread), getStart(next),
                      /*mayFork=*/false);
    omp::TerminatorOp::create(rewriter, loc);
    return success();
  }
};
} // namespace
