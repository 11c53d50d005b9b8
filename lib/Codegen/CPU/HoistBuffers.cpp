//===- HoistBuffers.cpp - Temporaries out of loops --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_HOISTBUFFERS
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// Bytes of an element in memory; nothing for those that take part of a byte.
static std::optional<int64_t> getElementBytes(MemRefType type) {
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  return element.getIntOrFloatBitWidth() / 8;
}

/// The bytes of a buffer whose elements lie one after the other, if known.
static std::optional<int64_t> getStaticBytes(MemRefType type) {
  std::optional<int64_t> bytes = getElementBytes(type);
  if (!bytes || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      llvm::MulOverflow(*bytes, type.getNumElements(), *bytes))
    return std::nullopt;
  return bytes;
}

/// The dealloc that ends the buffer's life, if it stands in the same block and
/// is the only one.
static memref::DeallocOp getDealloc(memref::AllocOp alloc) {
  memref::DeallocOp found;
  for (Operation *user : alloc->getUsers()) {
    auto dealloc = dyn_cast<memref::DeallocOp>(user);
    if (!dealloc)
      continue;
    if (found || dealloc->getBlock() != alloc->getBlock())
      return {};
    found = dealloc;
  }
  return found;
}

/// A constant that the value never exceeds: one operand of a minimum.
static std::optional<int64_t> getConstantBound(Value value) {
  std::optional<int64_t> bound;
  auto take = [&](int64_t constant) {
    bound = bound ? std::min(*bound, constant) : constant;
  };
  APInt constant;
  if (auto minimum = value.getDefiningOp<affine::AffineMinOp>()) {
    for (AffineExpr expression : minimum.getMap().getResults())
      if (auto known = dyn_cast<AffineConstantExpr>(expression))
        take(known.getValue());
  } else if (auto minimum = value.getDefiningOp<arith::MinSIOp>()) {
    for (Value operand : minimum->getOperands())
      if (matchPattern(operand, m_ConstantInt(&constant)))
        take(constant.getSExtValue());
  }
  return bound && *bound >= 0 ? bound : std::nullopt;
}

namespace {
struct HoistBuffers : xfmr::impl::HoistBuffersBase<HoistBuffers> {
  using HoistBuffersBase::HoistBuffersBase;

  void runOnOperation() override {
    if (stackBytes < 0) {
      emitError(getOperation()->getLoc(),
                "expected stack-bytes of 0 or more, got ")
          << stackBytes.getValue();
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    // Inner loops first: what leaves one may leave the next.
    getOperation()->walk([&](scf::ForOp loop) {
      moveLoopInvariantCode(loop);
      for (auto alloc : llvm::make_early_inc_range(
               loop.getBody()->getOps<memref::AllocOp>()))
        hoist(rewriter, loop, alloc);
    });
    if (separate)
      return;
    getOperation()->walk([&](func::FuncOp function) {
      if (!function.isDeclaration())
        promote(rewriter, function);
    });
    getOperation()->walk([&](Block *block) { merge(rewriter, *block); });
  }

  remark::RemarkOpts getRemark(StringRef name) {
    return remark::RemarkOpts::name(name).category(getArgument());
  }

  void hoist(RewriterBase &rewriter, scf::ForOp loop, memref::AllocOp alloc) {
    memref::DeallocOp dealloc = getDealloc(alloc);
    if (!dealloc || !alloc.getSymbolOperands().empty())
      return;
    MemRefType type = alloc.getType();
    bool isInvariant = llvm::all_of(alloc.getDynamicSizes(), [&](Value size) {
      return loop.isDefinedOutsideOfLoop(size);
    });
    if (isInvariant) {
      rewriter.moveOpBefore(alloc, loop);
      rewriter.moveOpAfter(dealloc, loop);
      return reportHoisted(alloc);
    }
    std::optional<int64_t> bytes = getElementBytes(type);
    if (!bytes || !type.getLayout().isIdentity())
      return reportLeft(alloc, "elements do not fill bytes");
    // As many bytes as the largest tile has.
    SmallVector<Value> factors;
    for (auto [position, dim] : llvm::enumerate(type.getShape()))
      if (!ShapedType::isDynamic(dim) && llvm::MulOverflow(*bytes, dim, *bytes))
        return;
    for (Value size : alloc.getDynamicSizes()) {
      if (loop.isDefinedOutsideOfLoop(size)) {
        factors.push_back(size);
        continue;
      }
      std::optional<int64_t> bound = getConstantBound(size);
      if (!bound || llvm::MulOverflow(*bytes, *bound, *bytes))
        return reportLeft(alloc, "a size changes from one iteration to the "
                                 "next, without a known bound");
    }
    Location loc = alloc.getLoc();
    rewriter.setInsertionPoint(loop);
    int64_t staticBytes = factors.empty() ? *bytes : ShapedType::kDynamic;
    SmallVector<Value> size;
    if (!factors.empty()) {
      Value product = arith::ConstantIndexOp::create(rewriter, loc, *bytes);
      for (Value factor : factors)
        product = arith::MulIOp::create(rewriter, loc, product, factor);
      size.push_back(product);
    }
    IntegerAttr alignment = rewriter.getI64IntegerAttr(
        std::max<int64_t>(64, alloc.getAlignment().value_or(1)));
    auto whole = memref::AllocOp::create(
        rewriter, loc,
        MemRefType::get({staticBytes}, rewriter.getI8Type(), AffineMap(),
                        type.getMemorySpace()),
        size, alignment);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    rewriter.eraseOp(dealloc);
    rewriter.setInsertionPointAfter(loop);
    memref::DeallocOp::create(rewriter, loc, whole);
    rewriter.setInsertionPoint(alloc);
    rewriter.replaceOpWithNewOp<memref::ViewOp>(alloc, type, whole, zero,
                                                alloc.getDynamicSizes());
    reportHoisted(whole);
  }

  void reportHoisted(memref::AllocOp alloc) {
    remark::passed(alloc.getLoc(), getRemark("hoisted"))
        << "a temporary is allocated once for all iterations of a loop";
  }
  void reportLeft(memref::AllocOp alloc, StringRef reason) {
    remark::missed(alloc.getLoc(), getRemark("in-loop"))
        << "a temporary is allocated in every iteration of a loop"
        << remark::reason("{0}", reason);
  }

  /// Makes one allocation of those of a block that live at the same time. Of
  /// several freed one after the other, malloc may give the memory back to the
  /// system, whose pages are then cleared again in every call.
  void merge(RewriterBase &rewriter, Block &block) {
    SmallVector<memref::AllocOp> group;
    Operation *firstFree = nullptr;
    auto end = [&] {
      if (group.size() > 1)
        mergeGroup(rewriter, group);
      group.clear();
    };
    for (auto alloc : llvm::to_vector(block.getOps<memref::AllocOp>())) {
      memref::DeallocOp dealloc = getDealloc(alloc);
      if (!dealloc || !getStaticBytes(alloc.getType()) ||
          alloc.getType().getMemorySpace())
        continue;
      if (!group.empty() && firstFree->isBeforeInBlock(alloc))
        end();
      if (group.empty() || dealloc->isBeforeInBlock(firstFree))
        firstFree = dealloc;
      group.push_back(alloc);
    }
    end();
  }

  void mergeGroup(RewriterBase &rewriter,
                  MutableArrayRef<memref::AllocOp> group) {
    SmallVector<int64_t> offsets;
    int64_t bytes = 0, alignment = 64;
    for (memref::AllocOp alloc : group) {
      int64_t needed = std::max<int64_t>(64, alloc.getAlignment().value_or(1));
      alignment = std::max(alignment, needed);
      offsets.push_back(llvm::alignTo(bytes, needed));
      bytes = offsets.back() + *getStaticBytes(alloc.getType());
    }
    rewriter.setInsertionPoint(group.front());
    auto whole =
        memref::AllocOp::create(rewriter, group.front().getLoc(),
                                MemRefType::get({bytes}, rewriter.getI8Type()),
                                rewriter.getI64IntegerAttr(alignment));
    memref::DeallocOp last;
    for (auto [alloc, offset] : llvm::zip_equal(group, offsets)) {
      memref::DeallocOp dealloc = getDealloc(alloc);
      if (last && dealloc->isBeforeInBlock(last))
        std::swap(dealloc, last);
      if (last)
        rewriter.eraseOp(last);
      last = dealloc;
    }
    rewriter.setInsertionPoint(last);
    rewriter.replaceOpWithNewOp<memref::DeallocOp>(last, whole);
    for (auto [alloc, offset] : llvm::zip_equal(group, offsets)) {
      rewriter.setInsertionPoint(alloc);
      Value start =
          arith::ConstantIndexOp::create(rewriter, alloc.getLoc(), offset);
      rewriter.replaceOpWithNewOp<memref::ViewOp>(alloc, alloc.getType(), whole,
                                                  start, ValueRange());
    }
  }

  /// Small buffers that live as long as a call go onto the stack.
  void promote(RewriterBase &rewriter, func::FuncOp function) {
    int64_t left = stackBytes;
    Block &entry = function.getBody().front();
    for (auto alloc :
         llvm::make_early_inc_range(entry.getOps<memref::AllocOp>())) {
      memref::DeallocOp dealloc = getDealloc(alloc);
      std::optional<int64_t> bytes = getStaticBytes(alloc.getType());
      if (!dealloc || !bytes || *bytes > left)
        continue;
      left -= *bytes;
      remark::passed(alloc.getLoc(), getRemark("on-stack"))
          << "a small temporary is on the stack"
          << remark::metric("bytes", *bytes);
      rewriter.setInsertionPointToStart(&entry);
      rewriter.eraseOp(dealloc);
      rewriter.replaceOpWithNewOp<memref::AllocaOp>(alloc, alloc.getType(),
                                                    alloc.getAlignmentAttr());
    }
  }
};
} // namespace
