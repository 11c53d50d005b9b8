//===- ExpandNarrowFloat.cpp - Conversions of bf16 and f16 on the bits ----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../HiddenValue.h"
#include "NativeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "xfmr/Codegen/Math/Passes.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_EXPANDNARROWFLOAT
#include "xfmr/Codegen/Math/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Builds ops on values of one shape and changing element types.
struct ShapedBuilder {
  ShapedBuilder(OpBuilder &builder, Location loc, Type like)
      : builder(builder), loc(loc), like(like) {}

  Type shaped(Type element) const {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Type i16() const { return shaped(builder.getI16Type()); }
  Type i32() const { return shaped(builder.getI32Type()); }
  Type f32() const { return shaped(builder.getF32Type()); }
  Type f64() const { return shaped(builder.getF64Type()); }

  Value integer(int64_t value) {
    TypedAttr attr = builder.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(like))
      attr = DenseElementsAttr::get(vector.clone(builder.getI32Type()),
                                    Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  OpBuilder &builder;
  Location loc;
  Type like;
};

/// The f32 with the value of a bf16: its upper half.
Value extendToF32(ShapedBuilder &b, Value x) {
  Value bits = b.make<arith::BitcastOp>(b.i16(), x);
  bits = b.make<arith::ExtUIOp>(b.i32(), bits);
  bits = b.make<arith::ShLIOp>(bits, b.integer(16));
  return b.make<arith::BitcastOp>(b.f32(), bits);
}

/// The bits of an f32 rounded to bf16, to nearest even, in the upper half; the
/// lower half is anything.
Value roundToUpperHalf(ShapedBuilder &b, Value x) {
  Value bits = b.make<arith::BitcastOp>(b.i32(), x);
  Value upper = b.make<arith::ShRUIOp>(bits, b.integer(16));
  Value isOdd = b.make<arith::AndIOp>(upper, b.integer(1));
  Value rounded = b.make<arith::AddIOp>(bits, b.integer(0x7fff));
  rounded = b.make<arith::AddIOp>(rounded, isOdd);
  // Rounding could carry a NaN into an infinity.
  Value quiet = b.make<arith::OrIOp>(bits, b.integer(0x400000));
  Value isNaN = b.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  return b.make<arith::SelectOp>(isNaN, quiet, rounded);
}

/// f32 to bf16, to nearest even.
Value truncateToBF16(ShapedBuilder &b, Value x, Type result) {
  Value rounded = roundToUpperHalf(b, x);
  rounded = b.make<arith::ShRUIOp>(rounded, b.integer(16));
  rounded = b.make<arith::TruncIOp>(b.i16(), rounded);
  return b.make<arith::BitcastOp>(result, rounded);
}

/// f64 to f32, rounded to odd: towards zero, with the last bit set where that
/// was inexact. f32 has more than two bits beyond bf16 and f16, so rounding the
/// result to one of these gives what rounding the f64 would.
Value roundToOdd(ShapedBuilder &b, Value x) {
  Value nearest = b.make<arith::TruncFOp>(b.f32(), x);
  Value back = b.make<arith::ExtFOp>(b.f64(), nearest);
  Value magnitude = b.make<math::AbsFOp>(x);
  Value awayFromZero = b.make<arith::CmpFOp>(
      arith::CmpFPredicate::OGT, b.make<math::AbsFOp>(back), magnitude);
  Value inexact = b.make<arith::CmpFOp>(arith::CmpFPredicate::ONE, back, x);
  Value bits = b.make<arith::BitcastOp>(b.i32(), nearest);
  Value less = b.make<arith::SubIOp>(bits, b.integer(1));
  bits = b.make<arith::SelectOp>(awayFromZero, less, bits);
  Value odd = b.make<arith::OrIOp>(bits, b.integer(1));
  bits = b.make<arith::SelectOp>(inexact, odd, bits);
  return b.make<arith::BitcastOp>(b.f32(), bits);
}

/// The bf16 at even places of a vector, or those at odd places, as f32: each is
/// the upper half of the word that it lies in, or is shifted there.
Value extendHalfToF32(ShapedBuilder &b, vector::DeinterleaveOp split,
                      bool isOdd) {
  Value bits =
      b.make<vector::BitCastOp>(cast<VectorType>(b.i32()), split.getSource());
  bits = isOdd ? b.make<arith::AndIOp>(bits, b.integer(-0x10000))
               : b.make<arith::ShLIOp>(bits, b.integer(16));
  return b.make<arith::BitcastOp>(b.f32(), bits);
}

/// Two f32 vectors to bf16, each rounded in the upper half of its words; even
/// places from `even`, odd ones from `odd`.
Value truncateHalvesToBF16(ShapedBuilder &b, Value even, Value odd,
                           VectorType result) {
  even = b.make<arith::ShRUIOp>(roundToUpperHalf(b, even), b.integer(16));
  odd = b.make<arith::AndIOp>(roundToUpperHalf(b, odd), b.integer(-0x10000));
  return b.make<vector::BitCastOp>(result, b.make<arith::OrIOp>(even, odd));
}

//===----------------------------------------------------------------------===//
// AVX512-BF16
//===----------------------------------------------------------------------===//

constexpr int64_t kNativeLanes = 16;

bool isNativeShape(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getDimSize(0) % kNativeLanes == 0;
}

Value callIntrinsic(ShapedBuilder &b, StringRef name, Type result,
                    ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b.builder, b.loc, result,
                                       b.builder.getStringAttr(name), operands)
      .getResult(0);
}

int64_t getWidth(Value vector) {
  return cast<VectorType>(vector.getType()).getDimSize(0);
}

/// Vectors one after the other as one of `type`.
Value concatenate(ShapedBuilder &b, ArrayRef<Value> pieces, VectorType type) {
  if (pieces.size() == 1)
    return pieces.front();
  Value result = b.make<arith::ConstantOp>(b.builder.getZeroAttr(type));
  int64_t offset = 0;
  for (Value piece : pieces) {
    result = b.make<vector::InsertStridedSliceOp>(
        piece, result, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{1});
    offset += getWidth(piece);
  }
  return result;
}

Value getPiece(ShapedBuilder &b, Value vector, int64_t offset) {
  if (getWidth(vector) == kNativeLanes)
    return vector;
  return b.make<vector::ExtractStridedSliceOp>(
      vector, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{kNativeLanes},
      ArrayRef<int64_t>{1});
}

/// What an instruction makes of one f32 vector, or of two: bf16 of which
/// subnormal numbers have become zeros.
struct NativePiece {
  SmallVector<Value, 2> inputs;
  /// The bits.
  Value words;
  /// The inputs are the even and the odd elements.
  bool isInterleaved;
};

/// The bits of `result`, which an instruction gave. LLVM would compare bf16
/// numbers where bits are tested, at many times the cost; so it must not see
/// that they are.
Value getWords(ShapedBuilder &b, Value result) {
  ShapedBuilder shape(b.builder, b.loc, result.getType());
  return hideInRegister(b.builder, b.loc,
                        b.make<arith::BitcastOp>(shape.i16(), result), "v");
}

/// Whether any of the bf16 vectors holds a zero. Masks meet in a general
/// register: operations on them are as dear as those on vectors.
Value emitAnyZero(ShapedBuilder &b, ArrayRef<NativePiece> pieces) {
  Value found;
  for (const NativePiece &piece : pieces) {
    auto type = cast<VectorType>(piece.words.getType());
    auto splat = [&](int64_t value) {
      return b.make<arith::ConstantOp>(DenseElementsAttr::get(
          type, Attribute(b.builder.getI16IntegerAttr(value))));
    };
    Value magnitude = b.make<arith::AndIOp>(piece.words, splat(0x7fff));
    Value isZero =
        b.make<arith::CmpIOp>(arith::CmpIPredicate::eq, magnitude, splat(0));
    IntegerType number = b.builder.getIntegerType(type.getDimSize(0));
    Value bits = b.make<vector::ExtractOp>(
        b.make<vector::BitCastOp>(VectorType::get({1}, number), isZero),
        int64_t(0));
    if (number.getWidth() < 32)
      bits = b.make<arith::ExtUIOp>(b.builder.getI32Type(), bits);
    bits = hideInRegister(b.builder, b.loc, bits, "r");
    found = found ? b.make<arith::OrIOp>(found, bits) : bits;
  }
  Value none = b.make<arith::ConstantOp>(b.builder.getI32IntegerAttr(0));
  return b.make<arith::CmpIOp>(arith::CmpIPredicate::ne, found, none);
}

/// Which lanes of an f32 vector are subnormal numbers.
Value findSubnormals(ShapedBuilder &b, Value x) {
  constexpr int32_t kSubnormal = 0x20;
  Value classes =
      b.make<arith::ConstantOp>(b.builder.getI32IntegerAttr(kSubnormal));
  return callIntrinsic(b, "llvm.x86.avx512.fpclass.ps.512",
                       VectorType::get({kNativeLanes}, b.builder.getI1Type()),
                       {x, classes});
}

/// The subnormal numbers of an f32 vector rounded to bf16, in the upper halves,
/// and 0 elsewhere. A sum with a number whose last digit is bf16's last one is
/// rounded there.
Value roundSubnormals(ShapedBuilder &b, Value x, Value isSubnormal) {
  auto type = cast<VectorType>(x.getType());
  Value magic = b.make<arith::ConstantOp>(DenseElementsAttr::get(
      type, Attribute(b.builder.getF32FloatAttr(0x1.8p-110f))));
  Value rounded = b.make<arith::SubFOp>(b.make<arith::AddFOp>(x, magic), magic);
  Value zero = b.make<arith::ConstantOp>(b.builder.getZeroAttr(type));
  ShapedBuilder shape(b.builder, b.loc, type);
  return b.make<arith::BitcastOp>(
      shape.i32(), b.make<arith::SelectOp>(isSubnormal, rounded, zero));
}

/// The words of `piece` with the subnormal numbers that became zeros, which
/// have their signs still; `lost` has the rounded ones of each input.
Value mendSubnormals(ShapedBuilder &b, const NativePiece &piece,
                     ArrayRef<Value> lost) {
  auto words = cast<VectorType>(piece.words.getType());
  ShapedBuilder shape(b.builder, b.loc, lost.front().getType());
  Value sixteen = shape.integer(16);
  if (piece.isInterleaved) {
    Value low = b.make<arith::ShRUIOp>(lost[0], sixteen);
    Value both = b.make<arith::OrIOp>(low, lost[1]);
    return b.make<arith::OrIOp>(piece.words,
                                b.make<vector::BitCastOp>(words, both));
  }
  SmallVector<Value, 2> narrow;
  for (Value one : lost)
    narrow.push_back(b.make<arith::TruncIOp>(
        shape.i16(), b.make<arith::ShRUIOp>(one, sixteen)));
  return b.make<arith::OrIOp>(piece.words, concatenate(b, narrow, words));
}

/// `pieces` as one vector of `type`. Where one holds a zero that was another
/// number, branches that are seldom taken mend it.
Value joinMended(ShapedBuilder &b, ArrayRef<NativePiece> pieces,
                 VectorType type) {
  SmallVector<Value> words;
  for (const NativePiece &piece : pieces)
    words.push_back(piece.words);
  auto emitUnlikelyIf = [&](Value condition,
                            function_ref<SmallVector<Value>()> then) {
    Value no = b.make<arith::ConstantOp>(b.builder.getBoolAttr(false));
    auto branch = scf::IfOp::create(
        b.builder, b.loc, ValueRange(words).getTypes(),
        b.make<LLVM::ExpectOp>(condition, no), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b.builder, b.loc, words);
    b.builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b.builder, b.loc, then());
    return SmallVector<Value>(branch.getResults());
  };
  words = emitUnlikelyIf(emitAnyZero(b, pieces), [&] {
    SmallVector<Value> isLost;
    Value found;
    for (const NativePiece &piece : pieces)
      for (Value input : piece.inputs) {
        isLost.push_back(findSubnormals(b, input));
        found =
            found ? b.make<arith::OrIOp>(found, isLost.back()) : isLost.back();
      }
    Value any = b.make<vector::ReductionOp>(vector::CombiningKind::OR, found);
    return emitUnlikelyIf(any, [&] {
      SmallVector<Value> mended;
      auto nextLost = isLost.begin();
      for (const NativePiece &piece : pieces) {
        SmallVector<Value, 2> lost;
        for (Value input : piece.inputs)
          lost.push_back(roundSubnormals(b, input, *nextLost++));
        mended.push_back(mendSubnormals(b, piece, lost));
      }
      return mended;
    });
  });
  Type bits = ShapedBuilder(b.builder, b.loc, type).i16();
  return b.make<arith::BitcastOp>(
      type, concatenate(b, words, cast<VectorType>(bits)));
}

/// f32 vectors to bf16 by the CPU's own instructions.
Value truncateNatively(ShapedBuilder &b, Value x, VectorType result) {
  SmallVector<NativePiece> pieces;
  int64_t width = result.getDimSize(0), offset = 0;
  for (; offset + 2 * kNativeLanes <= width; offset += 2 * kNativeLanes) {
    Value low = getPiece(b, x, offset);
    Value high = getPiece(b, x, offset + kNativeLanes);
    Value rounded = callIntrinsic(
        b, "llvm.x86.avx512bf16.cvtne2ps2bf16.512",
        VectorType::get({2 * kNativeLanes}, result.getElementType()),
        {high, low});
    pieces.push_back({{low, high}, getWords(b, rounded), false});
  }
  if (offset < width) {
    Value last = getPiece(b, x, offset);
    Value rounded = callIntrinsic(
        b, "llvm.x86.avx512bf16.cvtneps2bf16.512",
        VectorType::get({kNativeLanes}, result.getElementType()), {last});
    pieces.push_back({{last}, getWords(b, rounded), false});
  }
  return joinMended(b, pieces, result);
}

Value truncateHalvesNatively(ShapedBuilder &b, Value even, Value odd,
                             VectorType result) {
  auto pieceType = VectorType::get({2 * kNativeLanes}, result.getElementType());
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < kNativeLanes; ++lane)
    llvm::append_values(order, lane, kNativeLanes + lane);
  SmallVector<NativePiece> pieces;
  for (int64_t offset = 0; 2 * offset < result.getDimSize(0);
       offset += kNativeLanes) {
    Value low = getPiece(b, even, offset), high = getPiece(b, odd, offset);
    Value rounded = callIntrinsic(b, "llvm.x86.avx512bf16.cvtne2ps2bf16.512",
                                  pieceType, {high, low});
    rounded = b.make<vector::ShuffleOp>(rounded, rounded, order);
    pieces.push_back({{low, high}, getWords(b, rounded), true});
  }
  return joinMended(b, pieces, result);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// True for scalars and vectors.
bool isScalarOrVector(Type type) { return isa<FloatType, VectorType>(type); }

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type to = getElementTypeOrSelf(op.getType());
    if (!isScalarOrVector(x.getType()))
      return rewriter.notifyMatchFailure(op, "expects a scalar or a vector");
    if (!getElementTypeOrSelf(x.getType()).isBF16() ||
        !(to.isF32() || to.isF64()))
      return rewriter.notifyMatchFailure(op, "expects bf16 to f32 or f64");
    ShapedBuilder b(rewriter, op.getLoc(), x.getType());
    auto split = x.getDefiningOp<vector::DeinterleaveOp>();
    Value result = split && split.getResultVectorType().getRank() == 1
                       ? extendHalfToF32(b, split, x == split.getRes2())
                       : extendToF32(b, x);
    if (to.isF64())
      result = b.make<arith::ExtFOp>(op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

bool roundsToNearestEven(arith::TruncFOp op) {
  return op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) ==
         arith::RoundingMode::to_nearest_even;
}

/// Two vectors rounded from f32 to bf16 and interleaved, as in memory.
struct RoundedHalves {
  Value even, odd;
};

std::optional<RoundedHalves> matchRoundedHalves(vector::InterleaveOp op) {
  auto even = op.getLhs().getDefiningOp<arith::TruncFOp>();
  auto odd = op.getRhs().getDefiningOp<arith::TruncFOp>();
  if (!even || !odd || !roundsToNearestEven(even) || !roundsToNearestEven(odd))
    return std::nullopt;
  VectorType type = op.getResultVectorType();
  if (type.getRank() != 1 || !type.getElementType().isBF16() ||
      !getElementTypeOrSelf(even.getIn()).isF32() ||
      !getElementTypeOrSelf(odd.getIn()).isF32())
    return std::nullopt;
  return RoundedHalves{even.getIn(), odd.getIn()};
}

/// The truncations themselves become dead.
struct ExpandInterleave : OpRewritePattern<vector::InterleaveOp> {
  ExpandInterleave(MLIRContext *context, bool native)
      : OpRewritePattern(context), native(native) {}

  LogicalResult matchAndRewrite(vector::InterleaveOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<RoundedHalves> halves = matchRoundedHalves(op);
    if (!halves)
      return rewriter.notifyMatchFailure(op, "expects f32 rounded to bf16");
    auto [even, odd] = *halves;
    ShapedBuilder b(rewriter, op.getLoc(), even.getType());
    VectorType type = op.getResultVectorType();
    rewriter.replaceOp(op, native && isNativeShape(even.getType())
                               ? truncateHalvesNatively(b, even, odd, type)
                               : truncateHalvesToBF16(b, even, odd, type));
    return success();
  }

  bool native;
};

struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  ExpandTruncF(MLIRContext *context, bool native)
      : OpRewritePattern(context), native(native) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type from = getElementTypeOrSelf(x.getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!isScalarOrVector(x.getType()))
      return rewriter.notifyMatchFailure(op, "expects a scalar or a vector");
    if (!roundsToNearestEven(op))
      return rewriter.notifyMatchFailure(op,
                                         "expects rounding to nearest even");
    bool toBF16 = to.isBF16() && (from.isF32() || from.isF64());
    if (!toBF16 && !(to.isF16() && from.isF64()))
      return rewriter.notifyMatchFailure(
          op, "expects f32 or f64 to bf16, or f64 to f16");
    if (op->hasOneUse())
      if (auto user = dyn_cast<vector::InterleaveOp>(*op->user_begin());
          user && matchRoundedHalves(user))
        return rewriter.notifyMatchFailure(op, "expanded with its neighbours");
    ShapedBuilder b(rewriter, op.getLoc(), x.getType());
    if (from.isF64())
      x = roundToOdd(b, x);
    Value result;
    if (!toBF16)
      result = b.make<arith::TruncFOp>(op.getType(), x);
    else if (native && isNativeShape(op.getType()))
      result = truncateNatively(b, x, cast<VectorType>(op.getType()));
    else
      result = truncateToBF16(b, x, op.getType());
    rewriter.replaceOp(op, result);
    return success();
  }

  bool native;
};

struct ExpandNarrowFloat
    : mlir::xfmr::impl::ExpandNarrowFloatBase<ExpandNarrowFloat> {
  using ExpandNarrowFloatBase::ExpandNarrowFloatBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    populateExpandNarrowFloatPatterns(owned, nativeBF16, shuffleWords);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

void mlir::xfmr::populateExpandNarrowFloatPatterns(RewritePatternSet &patterns,
                                                   bool nativeBF16,
                                                   bool shuffleWords) {
  if (shuffleWords)
    populateNativeWideningPatterns(patterns);
  patterns.add<ExpandExtF>(patterns.getContext());
  patterns.add<ExpandTruncF, ExpandInterleave>(patterns.getContext(),
                                               nativeBF16);
}
