//===- LowerRowLoops.cpp - Parallel loops as OpenMP regions -----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldedIndex.h"
#include "LoopWork.h"
#include "OpenMPRuntime.h"
#include "Outliner.h"
#include "RowTeam.h"
#include "RowTeamRegion.h"
#include "TileSizes.h"
#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

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
} // namespace

/// An `scf.if`, or one of its branches where the condition is known.
static void emitIf(OpBuilder &builder, Location loc, Value condition,
                   function_ref<void()> then, function_ref<void()> otherwise) {
  IntegerAttr known;
  if (matchPattern(condition, m_Constant(&known)))
    return known.getValue().isZero() ? otherwise() : then();
  rows::emitIf(builder, loc, {std::nullopt, condition}, then, otherwise);
}

namespace {
struct LowerRowLoops : xfmr::impl::LowerRowLoopsBase<LowerRowLoops> {
  using LowerRowLoopsBase::LowerRowLoopsBase;

  void runOnOperation() override {
    if (parallelFrom < 0) {
      emitError(getOperation()->getLoc(),
                "expected parallel-from of 0 or more, got ")
          << parallelFrom.getValue();
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    if (failed(lowerAll(rewriter, getOutermost(getOperation()), {})))
      signalPassFailure();
  }

  /// The loops, and the threads that share rows, in `root` that are in no other
  /// of them, and in no parallel loop of another kind, which is taken on by
  /// others.
  static SmallVector<Operation *> getOutermost(Operation *root) {
    SmallVector<Operation *> found;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == root ||
          !(isa<scf::ForallOp>(op) || op->hasAttr(rows::kTeamAttrName)))
        return WalkResult::advance();
      found.push_back(op);
      return WalkResult::skip();
    });
    return found;
  }

  LogicalResult lowerAll(RewriterBase &rewriter, ArrayRef<Operation *> ops,
                         const Fork &fork) {
    for (Operation *op : ops) {
      auto loop = dyn_cast<scf::ForallOp>(op);
      if (failed(loop ? lower(rewriter, loop, fork)
                      : lower(rewriter, cast<omp::ParallelOp>(op), fork)))
        return failure();
    }
    return success();
  }

  remark::RemarkOpts getRemark(StringRef name) {
    return remark::RemarkOpts::name(name).category(getArgument());
  }

  /// Why no threads may be started where `op` stands; empty if they may.
  StringRef getObstacle(Operation *op, const Fork &fork) {
    if (threads == 1)
      return "there is one thread";
    if (fork.never || op->getParentOfType<scf::ParallelOp>() ||
        op->getParentOfType<omp::ParallelOp>())
      return "it is inside of a parallel loop";
    if (!op->getParentOfType<func::FuncOp>())
      return "it is not in a function";
    return "";
  }

  LogicalResult lowerSequential(RewriterBase &rewriter, scf::ForallOp loop,
                                const Fork &fork, StringRef reason) {
    remark::passed(loop.getLoc(), getRemark("sequential"))
        << "loop for one thread" << remark::reason("{0}", reason);
    SmallVector<Operation *> nested = getOutermost(loop);
    rewriter.setInsertionPoint(loop);
    if (failed(scf::forallToForLoop(rewriter, loop)))
      return loop.emitOpError("cannot be lowered to a loop");
    return lowerAll(rewriter, nested, fork);
  }

  /// Rows that several threads share, where they may be started.
  LogicalResult lower(RewriterBase &rewriter, omp::ParallelOp region,
                      const Fork &fork) {
    Location loc = region.getLoc();
    rewriter.setInsertionPoint(region);
    if (!getObstacle(region, fork).empty()) {
      inlineRegion(rewriter, region, region->getBlock(), region->getIterator(),
                   arith::ConstantIntOp::create(rewriter, loc, 0, 32),
                   arith::ConstantIntOp::create(rewriter, loc, 1, 32));
      rewriter.eraseOp(region);
      return success();
    }
    remark::passed(loc, getRemark("shared"))
        << "threads share the rows that are long enough";
    auto function = region->getParentOfType<func::FuncOp>();
    RowTeamRegion team(region);
    SmallVector<Type> leading;
    team.addTypes(leading);
    Outliner outliner(rewriter, leading);
    outliner.outline(region, team.buffer ? team.buffer.getResult() : Value());
    Value condition = region.getIfExpr();
    if (fork.where)
      condition =
          rewriter.createOrFold<arith::AndIOp>(loc, condition, fork.where);
    LogicalResult result = success();
    emitIf(
        rewriter, loc, condition,
        [&] {
          Value buffer;
          if (team.buffer)
            buffer = rewriter.clone(*team.buffer)->getResult(0);
          result = emitRegion(rewriter, loc, function,
                              [&](Value thread, Value count) {
                                SmallVector<Value> arguments = {thread, count};
                                if (buffer)
                                  arguments.push_back(buffer);
                                outliner.emitCall(loc, arguments);
                              });
          if (buffer)
            memref::DeallocOp::create(rewriter, loc, buffer);
        },
        [&] {
          SmallVector<Value> arguments;
          team.addOneThread(rewriter, loc, arguments);
          outliner.emitCall(loc, arguments);
        });
    rewriter.eraseOp(region);
    team.eraseBuffer(rewriter);
    return result;
  }

  LogicalResult lower(RewriterBase &rewriter, scf::ForallOp loop,
                      const Fork &fork) {
    if (loop->getNumResults())
      return loop.emitOpError("expected a loop on memrefs, got one with "
                              "results: bufferize first");
    if (StringRef reason = getObstacle(loop, fork); !reason.empty())
      return lowerSequential(rewriter, loop, fork, reason);

    Location loc = loop.getLoc();
    auto function = loop->getParentOfType<func::FuncOp>();
    rewriter.setInsertionPoint(loop);
    SmallVector<Operation *> nested = getOutermost(loop);
    std::optional<RowTeamRegion> team = RowTeamRegion::getOfLoop(loop, nested);
    LoopWork work = emitLoopWork(
        rewriter, loop, team ? team->getAsked() : SmallVector<Value>());
    if (llvm::is_contained(work.first, Value()))
      team.reset();
    FailureOr<Value> most = Value();
    if (!nested.empty())
      most = emitMostThreads(rewriter, loc, function);
    if (failed(most))
      return failure();
    if (team)
      work.nestedIterations = team->emitParts(rewriter, loc, work, *most);
    SmallVector<affine::AffineMinOp> sizes = getTileSizes(loop);
    Value rows = work.iterations;
    if (!sizes.empty()) {
      rows = emitRows(rewriter, loop);
      work.operations = emitRowsWork(rewriter, loop, work.once, rows);
    }
    // Of a few long rows, threads share each.
    Value parts = team ? rewriter.createOrFold<arith::SelectOp>(
                             loc, work.first.front(), work.iterations, rows)
                       : rows;
    work.iterations = rows;
    Value worth = emitWorth(rewriter, loc, work, parts, *most), forks = worth,
          shares;
    if (team) {
      Value yes =
          arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
      shares = rewriter.createOrFold<arith::AndIOp>(
          loc, work.first.front(),
          rewriter.createOrFold<arith::XOrIOp>(loc, worth, yes));
      forks = rewriter.createOrFold<arith::OrIOp>(loc, worth, shares);
    }
    IntegerAttr known;
    bool isKnown = matchPattern(forks, m_Constant(&known));
    if (isKnown && known.getValue().isZero())
      return lowerSequential(rewriter, loop, fork,
                             "there is too little work for several threads");
    if (fork.where)
      forks = isKnown ? fork.where
                      : arith::AndIOp::create(rewriter, loc, forks, fork.where)
                            .getResult();
    bool decided = isKnown && !fork.where;
    // Every thread has rows of its own.
    if (decided && matchPattern(worth, m_One()))
      team.reset();
    remark::passed(loc, getRemark("parallel"))
        << (decided ? "loop for several threads"
                    : "loop for several threads where it is large enough");
    if (team)
      remark::passed(loc, getRemark("shared"))
          << "threads share the rows that are long enough, where these are few";
    return lowerParallel(rewriter, loop, sizes, fork, nested, team, work,
                         shares, forks, decided);
  }

  /// How many rows there are in the tiles of `loop`.
  static Value emitRows(RewriterBase &rewriter, scf::ForallOp loop) {
    FoldedIndex index(rewriter, loop.getLoc());
    return index.fold<arith::SubIOp>(
        index.toValue(loop.getMixedUpperBound()[0]),
        index.toValue(loop.getMixedLowerBound()[0]));
  }

  /// Tiles may have fewer rows than the first, which does `once` operations.
  static Value emitRowsWork(RewriterBase &rewriter, scf::ForallOp loop,
                            Value once, Value rows) {
    FoldedIndex index(rewriter, loop.getLoc());
    int64_t step = *getConstantIntValue(loop.getMixedStep()[0]);
    return index.fold<arith::MaxSIOp>(
        once, index.fold<arith::DivUIOp>(index.fold<arith::MulIOp>(once, rows),
                                         step));
  }

  /// A function of the loop, which threads call where `forks`; the threads of
  /// `team` for all rows where `shares`, or each for some.
  LogicalResult lowerParallel(RewriterBase &rewriter, scf::ForallOp loop,
                              ArrayRef<affine::AffineMinOp> sizes,
                              const Fork &fork, ArrayRef<Operation *> nested,
                              std::optional<RowTeamRegion> &team,
                              const LoopWork &work, Value shares, Value forks,
                              bool decided) {
    Location loc = loop.getLoc();
    auto function = loop->getParentOfType<func::FuncOp>();
    SmallVector<Type> leading(2, rewriter.getIndexType());
    bool takesFork = !team && !decided && !nested.empty();
    if (takesFork)
      leading.push_back(rewriter.getI1Type());
    if (team)
      team->addTypes(leading);
    Outliner outliner(rewriter, leading);
    outliner.outline(loop, sizes);
    auto getFork = [&](bool mayFork) {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getBoolAttr(mayFork));
    };
    LogicalResult result = success();
    emitIf(
        rewriter, loc, forks,
        [&] {
          Value buffer;
          if (team && team->buffer)
            buffer = team->emitBuffer(rewriter, loc, work, shares);
          result = emitRegion(
              rewriter, loc, function, [&](Value thread, Value count) {
                SmallVector<Value> arguments =
                    emitRange(rewriter, loc, work.iterations, thread, count);
                if (takesFork)
                  arguments.push_back(getFork(false));
                if (team)
                  RowTeamRegion::addShare(rewriter, loc, work.iterations,
                                          thread, count, shares, arguments);
                if (buffer)
                  arguments.push_back(buffer);
                outliner.emitCall(loc, arguments);
              });
          if (buffer)
            emitIf(
                rewriter, loc, shares,
                [&] { memref::DeallocOp::create(rewriter, loc, buffer); },
                [] {});
        },
        [&] {
          SmallVector<Value> arguments = {
              arith::ConstantIndexOp::create(rewriter, loc, 0),
              work.iterations};
          if (takesFork)
            arguments.push_back(getFork(true));
          if (team)
            team->addOneThread(rewriter, loc, arguments);
          outliner.emitCall(loc, arguments);
        });
    rewriter.eraseOp(loop);
    if (failed(result))
      return failure();
    if (team) {
      team->moveInto(rewriter, outliner);
      return success();
    }
    return lowerAll(rewriter, nested,
                    {/*never=*/decided,
                     takesFork ? outliner.function.getArgument(2) : Value()});
  }

  FailureOr<Value> emitMostThreads(RewriterBase &rewriter, Location loc,
                                   func::FuncOp function) {
    if (threads != 0)
      return arith::ConstantIndexOp::create(rewriter, loc, threads).getResult();
    return emitNumber(rewriter, loc, function, kMaxThreads);
  }

  static FailureOr<Value> emitNumber(OpBuilder &builder, Location loc,
                                     func::FuncOp function, StringRef name) {
    FailureOr<Value> number = callOpenMP(builder, loc, function, name);
    if (failed(number))
      return failure();
    return toIndex(builder, loc, *number);
  }

  static Value toIndex(OpBuilder &builder, Location loc, Value value) {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      value);
  }

  /// Whether several threads are worth starting: there is enough to do, and
  /// of the `parts` something for each of `most` threads if the loops inside
  /// would have that.
  Value emitWorth(RewriterBase &rewriter, Location loc, const LoopWork &work,
                  Value parts, Value most) {
    auto atLeast = [&](Value value, Value bound) {
      return rewriter.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::sge, value, bound);
    };
    Value needed = arith::ConstantIndexOp::create(rewriter, loc, 2);
    if (most)
      needed = rewriter.createOrFold<arith::MaxSIOp>(
          loc, needed,
          rewriter.createOrFold<arith::MinSIOp>(loc, most,
                                                work.nestedIterations));
    Value enough = atLeast(
        work.operations,
        arith::ConstantIndexOp::create(
            rewriter, loc, parallelFrom.getValue() * kOperationsPerElement));
    return rewriter.createOrFold<arith::AndIOp>(loc, enough,
                                                atLeast(parts, needed));
  }

  /// Calls `emitThread` with the thread's number and that of all, both i32.
  LogicalResult
  emitRegion(RewriterBase &rewriter, Location loc, func::FuncOp function,
             function_ref<void(Value thread, Value count)> emitThread) {
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
        callOpenMP(rewriter, loc, function, kThreadNumber);
    FailureOr<Value> count = callOpenMP(rewriter, loc, function, kNumThreads);
    if (failed(thread) || failed(count))
      return failure();
    emitThread(*thread, *count);
    omp::TerminatorOp::create(rewriter, loc);
    return success();
  }

  /// Every thread takes iterations that follow each other.
  static SmallVector<Value> emitRange(OpBuilder &builder, Location loc,
                                      Value iterations, Value thread,
                                      Value count) {
    auto [begin, end] = FoldedIndex(builder, loc)
                            .getPart(iterations, toIndex(builder, loc, thread),
                                     toIndex(builder, loc, count));
    return {begin, end};
  }
};
} // namespace
