//===- ConvertRegionsToLLVM.cpp - Threads that are handed values ----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_CONVERTREGIONSTOLLVM
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// What the run time is told of a region: where in a source it stands, which is
/// not known, and that its caller has this interface.
static constexpr StringLiteral kPlace = ";unknown;unknown;0;0;;";
static constexpr int32_t kInterface = 2;

/// Whether a register of the run time's can hold a value of `type`.
static bool fitsRegister(Type type) {
  return isa<LLVM::LLVMPointerType>(type) ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<LLVM::PoisonOp, LLVM::UndefOp, LLVM::AddressOfOp>(
             op) ||
         matchPattern(value, m_Constant());
}

/// Whether `region` needs nothing of OpenMP but its threads.
static bool isPlain(omp::ParallelOp region) {
  Value count = region.getNumThreads();
  if (region->getNumOperands() != (count ? 1 : 0) || region.getProcBindKind() ||
      region.getRegion().getNumArguments() ||
      (count && !count.getType().isInteger(32)))
    return false;
  WalkResult others = region.getRegion().walk([](Operation *op) {
    bool isOther = isa<omp::OpenMPDialect>(op->getDialect()) &&
                   !isa<omp::TerminatorOp>(op);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !others.wasInterrupted();
}

/// Memrefs' descriptors to those of their parts that somebody reads.
static void foldDescriptors(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<LLVM::ExtractValueOp, LLVM::InsertValueOp>(op))
      ops.push_back(op);
  });
  (void)applyOpPatternsGreedily(ops, FrozenRewritePatternSet(),
                                GreedyRewriteConfig().setStrictness(
                                    GreedyRewriteStrictness::ExistingOps));
}

/// What functions that are called in `region` have no use for is not computed.
static void dropUnread(const SymbolTable &symbols, RewriterBase &rewriter,
                       omp::ParallelOp region) {
  region.getRegion().walk([&](LLVM::CallOp call) {
    auto callee = call.getCallee()
                      ? symbols.lookup<LLVM::LLVMFuncOp>(*call.getCallee())
                      : LLVM::LLVMFuncOp();
    if (!callee || callee.isExternal())
      return;
    rewriter.setInsertionPoint(call);
    for (auto [argument, operand] :
         llvm::zip(callee.getArguments(), call->getOpOperands()))
      if (argument.use_empty())
        operand.set(LLVM::PoisonOp::create(rewriter, call.getLoc(),
                                           argument.getType()));
  });
  (void)runRegionDCE(rewriter, region->getRegions());
}

/// `value` in an integer as wide as a register, in front of `region`; `region`
/// has it from there.
static void widen(RewriterBase &rewriter, omp::ParallelOp region, Value value) {
  Type type = value.getType(), word = rewriter.getI64Type();
  if (isa<LLVM::LLVMPointerType>(type) || type == word)
    return;
  Location loc = region.getLoc();
  Type integer = rewriter.getIntegerType(type.getIntOrFloatBitWidth());
  rewriter.setInsertionPoint(region);
  Value wide = value;
  if (integer != type)
    wide = LLVM::BitcastOp::create(rewriter, loc, integer, wide);
  if (integer != word)
    wide = LLVM::ZExtOp::create(rewriter, loc, word, wide);
  rewriter.setInsertionPointToStart(&region.getRegion().front());
  Value narrow = wide;
  if (integer != word)
    narrow = LLVM::TruncOp::create(rewriter, loc, integer, narrow);
  if (integer != type)
    narrow = LLVM::BitcastOp::create(rewriter, loc, type, narrow);
  rewriter.replaceUsesWithIf(value, narrow, [&](OpOperand &operand) {
    return region->isProperAncestor(operand.getOwner());
  });
}

namespace {
struct ConvertRegionsToLLVM
    : xfmr::impl::ConvertRegionsToLLVMBase<ConvertRegionsToLLVM> {
  void runOnOperation() override {
    SmallVector<omp::ParallelOp> regions;
    getOperation().walk<WalkOrder::PreOrder>([&](omp::ParallelOp region) {
      if (isPlain(region) && region->getParentOfType<LLVM::LLVMFuncOp>())
        regions.push_back(region);
      return WalkResult::skip();
    });
    if (regions.empty())
      return;
    foldDescriptors(getOperation());
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    LLVM::GlobalOp place;
    for (omp::ParallelOp region : regions) {
      if (!makePlainValues(symbols, rewriter, region))
        continue;
      if (!place)
        place = createPlace(symbols, rewriter, region.getLoc());
      if (failed(convert(symbols, rewriter, region, place)))
        return signalPassFailure();
    }
  }

  /// Whether all that `region` reads of the function around it fits registers;
  /// it is made to.
  static bool makePlainValues(const SymbolTable &symbols,
                              RewriterBase &rewriter, omp::ParallelOp region) {
    dropUnread(symbols, rewriter, region);
    // Of a descriptor, its parts.
    SmallVector<LLVM::ExtractValueOp> parts;
    region.getRegion().walk([&](LLVM::ExtractValueOp part) {
      if (areValuesDefinedAbove(part->getOperands(), region.getRegion()))
        parts.push_back(part);
    });
    for (LLVM::ExtractValueOp part : parts)
      rewriter.moveOpBefore(part, region);
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(region.getRegion(), used);
    used.remove_if(isConstant);
    if (!llvm::all_of(
            used, [](Value value) { return fitsRegister(value.getType()); }))
      return false;
    for (Value value : used)
      widen(rewriter, region, value);
    return true;
  }

  /// What the run time is told of every region.
  LLVM::GlobalOp createPlace(SymbolTable &symbols, RewriterBase &rewriter,
                             Location loc) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.clearInsertionPoint();
    auto create = [&](Type type, StringRef name, Attribute value) {
      auto global =
          LLVM::GlobalOp::create(rewriter, loc, type, /*isConstant=*/true,
                                 LLVM::Linkage::Private, name, value);
      symbols.insert(global, getOperation().getBody()->begin());
      return global;
    };
    SmallVector<char> bytes(kPlace.begin(), kPlace.end());
    bytes.push_back(0);
    StringRef text(bytes.data(), bytes.size());
    auto name =
        create(LLVM::LLVMArrayType::get(rewriter.getI8Type(), text.size()),
               "openmp_place_name", rewriter.getStringAttr(text));
    Type word = rewriter.getI32Type();
    auto type = LLVM::LLVMStructType::getLiteral(
        &getContext(),
        {word, word, word, word, LLVM::LLVMPointerType::get(&getContext())});
    auto place = create(type, "openmp_place", Attribute());
    rewriter.createBlock(&place.getInitializerRegion());
    Value value = LLVM::ZeroOp::create(rewriter, loc, type);
    auto set = [&](int64_t index, Value field) {
      value = LLVM::InsertValueOp::create(rewriter, loc, value, field, index);
    };
    auto setWord = [&](int64_t index, int32_t field) {
      set(index, LLVM::ConstantOp::create(rewriter, loc,
                                          rewriter.getI32IntegerAttr(field)));
    };
    setWord(1, kInterface);
    setWord(3, kPlace.size());
    set(4, LLVM::AddressOfOp::create(rewriter, loc, name));
    LLVM::ReturnOp::create(rewriter, loc, value);
    return place;
  }

  /// A function of `region`, with what it reads as arguments, and the call that
  /// has threads call it.
  LogicalResult convert(SymbolTable &symbols, RewriterBase &rewriter,
                        omp::ParallelOp region, LLVM::GlobalOp place) {
    Location loc = region.getLoc();
    auto caller = region->getParentOfType<LLVM::LLVMFuncOp>();
    Type pointer = LLVM::LLVMPointerType::get(&getContext()),
         word = rewriter.getI32Type(),
         none = LLVM::LLVMVoidType::get(&getContext());
    auto find = [&](StringRef name, ArrayRef<Type> types, Type result,
                    bool isVarArg = false) {
      return LLVM::lookupOrCreateFn(rewriter, getOperation(), name, types,
                                    result, isVarArg);
    };
    rewriter.setInsertionPoint(region);
    Value where = LLVM::AddressOfOp::create(rewriter, loc, place);
    if (Value count = region.getNumThreads()) {
      auto ownNumber = find("__kmpc_global_thread_num", {pointer}, word);
      auto setCount =
          find("__kmpc_push_num_threads", {pointer, word, word}, none);
      if (failed(ownNumber) || failed(setCount))
        return failure();
      Value number =
          LLVM::CallOp::create(rewriter, loc, *ownNumber, where).getResult();
      LLVM::CallOp::create(rewriter, loc, *setCount,
                           ValueRange{where, number, count});
    }
    auto fork = find("__kmpc_fork_call", {pointer, word, pointer}, none,
                     /*isVarArg=*/true);
    if (failed(fork))
      return failure();

    SmallVector<Value> captures = makeRegionIsolatedFromAbove(
        rewriter, region.getRegion(),
        [](Operation *op) { return isConstant(op->getResult(0)); });
    // Two numbers of the thread come first.
    SmallVector<Type> types(2, pointer);
    llvm::append_range(types, ValueRange(captures).getTypes());
    Block &entry = region.getRegion().front();
    for (unsigned index : {0, 1})
      entry.insertArgument(index, pointer, loc);
    rewriter.clearInsertionPoint();
    auto threads = LLVM::LLVMFuncOp::create(
        rewriter, loc, (caller.getName() + "_threads").str(),
        LLVM::LLVMFunctionType::get(none, types), LLVM::Linkage::Internal);
    threads.setPassthroughAttr(caller.getPassthroughAttr());
    symbols.insert(threads, caller->getIterator());
    region.getRegion().walk([&](omp::TerminatorOp end) {
      rewriter.setInsertionPoint(end);
      rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(end, ValueRange());
    });
    rewriter.inlineRegionBefore(region.getRegion(), threads.getBody(),
                                threads.getBody().end());

    rewriter.setInsertionPoint(region);
    Value size = LLVM::ConstantOp::create(
        rewriter, loc, rewriter.getI32IntegerAttr(captures.size()));
    SmallVector<Value> operands = {
        where, size, LLVM::AddressOfOp::create(rewriter, loc, threads)};
    llvm::append_range(operands, captures);
    LLVM::CallOp::create(rewriter, loc, *fork, operands);
    rewriter.eraseOp(region);
    return success();
  }
};
} // namespace
