//===- PanelTile.cpp - Register tiles of panel products -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of rows x panels keeps one vector of sums in a register for each row
// and vector of columns. A step reads one input of every row, or a pair of
// them, and what multiplies it of every panel.
//
//===----------------------------------------------------------------------===//

#include "PanelTile.h"
#include "CacheLine.h"
#include "PrivateFunctions.h"
#include "StripLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::xfmr;

static PanelKernel chooseKernel(const PanelProduct &product,
                                const CPUTarget &target) {
  if (!product.isInPairs())
    return PanelKernel::Fma;
  // The op that stands for the instruction is of one architecture.
  bool hasOp = llvm::Triple(target.triple).isX86();
  if (product.getLhsType().isBF16() && product.getAccumulatorType().isF32() &&
      target.prefersBF16Dot && hasOp)
    return PanelKernel::DotPairs;
  return PanelKernel::WidenedPairs;
}

PanelTileEmitter::PanelTileEmitter(RewriterBase &builder, Location loc,
                                   const PanelProduct &product,
                                   const ContractionLoweringOptions &options,
                                   Operation *hoist)
    : builder(builder), loc(loc), product(product), options(options),
      hoist(hoist), access(builder, loc, hoist),
      accumulatorType(product.getAccumulatorType()),
      kernel(chooseKernel(product, options.target)),
      constants(builder, loc, hoist) {
  lanes =
      options.target.getVectorLanes(accumulatorType.getIntOrFloatBitWidth());
  vectors = product.getPanelWidth() / lanes;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(hoist);
  firstPanel =
      getValueOrCreateConstantIndexOp(builder, loc, product.firstPanel);
  firstStep = getValueOrCreateConstantIndexOp(builder, loc, product.firstInput);
  firstStep = divide({firstStep, getConstantIntValue(product.firstInput)},
                     getStepInputs())
                  .value;
  packed = product.packed;
  if (product.isInPairs())
    packed = memref::CollapseShapeOp::create(
        builder, loc, packed, ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
}

//===----------------------------------------------------------------------===//
// What a target's registers hold
//===----------------------------------------------------------------------===//

int64_t mlir::xfmr::getPanelSummationBlock(Type lhsType, Type weightType) {
  if (lhsType.isBF16() && weightType.isBF16())
    return 256;
  return weightType.getIntOrFloatBitWidth() <= 16 ? 128 : 64;
}

int64_t PanelTileEmitter::getSummationBlock() const {
  return getPanelSummationBlock(product.getLhsType(), product.getWeightType());
}

bool PanelTileEmitter::loadsTwice(const PanelTile &tile) const {
  // Few rows of pairs are slower so: the check of their sums takes registers
  // from addresses, and there are few tiles to make up for that.
  if (kernel == PanelKernel::DotPairs &&
      tile.prefetch == PanelPrefetch::SecondCache)
    return false;
  return options.target.foldsBroadcasts && tile.panels * vectors == 2 &&
         tile.rows == getLargestTileRows();
}

/// Half of the registers are sums; the rest are for what they are made of.
static int64_t getSums(const CPUTarget &target) {
  return std::max<int64_t>(target.vectorRegisters / 2, 1);
}

int64_t PanelTileEmitter::getLargestTileRows() const {
  int64_t rows = std::max<int64_t>(getSums(options.target) / vectors, 1);
  return llvm::PowerOf2Ceil(rows);
}

int64_t PanelTileEmitter::getTilePanels(int64_t rows) const {
  int64_t sums = getSums(options.target);
  // Two streams of five rows are faster than one, but for pairs.
  if (kernel == PanelKernel::Fma)
    sums += sums / 4;
  int64_t panels = llvm::bit_floor<uint64_t>(sums / (rows * vectors));
  return std::clamp<int64_t>(panels, 1, options.target.productPanels);
}

bool PanelTileEmitter::needsLhsScratch() const {
  auto type = cast<MemRefType>(product.lhs.getType());
  return type.getElementType() != getLhsScratchType() ||
         !type.isLastDimUnitStride();
}

Type PanelTileEmitter::getLhsScratchType() const {
  return kernel == PanelKernel::DotPairs ? product.getLhsType()
                                         : accumulatorType;
}

//===----------------------------------------------------------------------===//
// Sizes and loops
//===----------------------------------------------------------------------===//

Value PanelTileEmitter::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Extent PanelTileEmitter::extent(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return extent(*known);
  return {cast<Value>(size), std::nullopt};
}

Extent PanelTileEmitter::roundDown(Extent size, int64_t step) {
  if (size.known)
    return extent(*size.known / step * step);
  return {emitRoundDown(builder, loc, size.value, step), std::nullopt};
}

Extent PanelTileEmitter::divide(Extent size, int64_t divisor) {
  if (divisor == 1)
    return size;
  if (size.known)
    return extent(*size.known / divisor);
  return {arith::DivUIOp::create(builder, loc, size.value, index(divisor)),
          std::nullopt};
}

Extent PanelTileEmitter::subtract(Extent a, Extent b) {
  if (a.known && b.known)
    return extent(*a.known - *b.known);
  return {builder.createOrFold<arith::SubIOp>(loc, a.value, b.value),
          std::nullopt};
}

void PanelTileEmitter::emitFor(Value from, Value to, int64_t step,
                               function_ref<void(Value)> body) {
  std::optional<int64_t> first = getConstantIntValue(from),
                         last = getConstantIntValue(to);
  if (first && last && *first >= *last)
    return;
  if (first && last && *first + step >= *last)
    return body(from);
  scf::ForOp::create(builder, loc, from, to, index(step), ValueRange(),
                     [&](OpBuilder &, Location, Value position, ValueRange) {
                       body(position);
                       scf::YieldOp::create(builder, loc);
                     });
}

void PanelTileEmitter::emitIf(arith::CmpIPredicate predicate, Extent a,
                              Extent b, function_ref<void()> body) {
  if (a.known && b.known)
    return arith::applyCmpPredicate(predicate, APInt(64, *a.known),
                                    APInt(64, *b.known))
               ? body()
               : void();
  Value condition =
      arith::CmpIOp::create(builder, loc, predicate, a.value, b.value);
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

void PanelTileEmitter::emitBlocks(Extent extent, int64_t size,
                                  function_ref<void(Value, Extent)> body) {
  if (extent.known && *extent.known <= size) {
    if (*extent.known > 0)
      body(index(0), extent);
    return;
  }
  bool whole = extent.isMultipleOf(size);
  emitFor(index(0), extent.value, size, [&](Value from) {
    if (whole)
      return body(from, this->extent(size));
    Value rest = arith::SubIOp::create(builder, loc, extent.value, from);
    body(from, {arith::MinUIOp::create(builder, loc, rest, index(size)),
                std::nullopt});
  });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value PanelTileEmitter::convert(Value value, Type type) {
  if (getElementTypeOrSelf(value.getType()) == type)
    return value;
  if (auto vectorType = dyn_cast<VectorType>(value.getType()))
    type = vectorType.clone(type);
  return arith::ExtFOp::create(builder, loc, type, value);
}

static Value bitcast(OpBuilder &builder, Location loc, Value value,
                     Type element) {
  auto type = cast<VectorType>(value.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  return vector::BitCastOp::create(
      builder, loc,
      VectorType::get({bits / element.getIntOrFloatBitWidth()}, element),
      value);
}

/// An input of a row of the tile, in every lane; for products of pairs the
/// input and its successor, or only the input if `half`.
Value PanelTileEmitter::loadLhs(Value buffer, Value row, Value input,
                                bool half) {
  if (kernel != PanelKernel::DotPairs)
    return broadcastLanes(
        builder, loc,
        memref::LoadOp::create(builder, loc, buffer, ValueRange{row, input}),
        lanes);
  Type i32 = builder.getI32Type(), bf16 = builder.getBF16Type();
  Value pair;
  if (half) {
    // The weights' second half is zero; its factor is too, since what lies
    // beyond the row may not be a number.
    Value one =
        memref::LoadOp::create(builder, loc, buffer, ValueRange{row, input});
    one = arith::BitcastOp::create(builder, loc, builder.getI16Type(), one);
    pair = arith::ExtUIOp::create(builder, loc, i32, one);
  } else {
    Value two = vector::LoadOp::create(builder, loc, VectorType::get({2}, bf16),
                                       buffer, ValueRange{row, input});
    pair = vector::ExtractOp::create(builder, loc,
                                     bitcast(builder, loc, two, i32), 0);
  }
  return bitcast(builder, loc, broadcastLanes(builder, loc, pair, lanes), bf16);
}

/// A vector of a panel's weights at one step, as they are in memory.
Value PanelTileEmitter::loadWeights(int64_t panel, int64_t vector, Value step) {
  int64_t size = lanes * getStepInputs();
  return vector::LoadOp::create(
      builder, loc, VectorType::get({size}, product.getWeightType()), packed,
      ValueRange{index(panel), step, index(vector * size)});
}

/// Fetches a line of what the panel's rows meet next into a cache: the steps of
/// all tiles of the panel do so in turn, until the block is there. A step of
/// few tiles fetches as much as a step reads.
void PanelTileEmitter::emitPrefetch(const PanelTile &tile, Value step) {
  if (tile.prefetch == PanelPrefetch::None)
    return;
  Value offset = arith::MulIOp::create(builder, loc, step, tile.prefetchStride);
  Value first = add(tile.prefetched, offset);
  int64_t line =
      kCacheLineBytes * 8 / product.getWeightType().getIntOrFloatBitWidth();
  bool isFew = tile.prefetch == PanelPrefetch::SecondCache;
  int64_t end = isFew ? getStepElements() : 1;
  for (int64_t element = 0; element < end; element += line)
    memref::PrefetchOp::create(
        builder, loc, packed,
        ValueRange{index(0), index(0),
                   element ? add(first, index(element)) : first},
        /*isWrite=*/false, /*localityHint=*/isFew ? 2 : 3,
        /*isDataCache=*/true);
}

/// Fetches the totals that the tile's sums are added to. The loop over the
/// inputs is longer than what a processor looks ahead.
void PanelTileEmitter::emitTotalsPrefetch(const PanelTile &tile) {
  auto type = cast<MemRefType>(product.out.getType());
  if (tile.prefetch != PanelPrefetch::FirstCache || !type.isLastDimUnitStride())
    return;
  int64_t line = kCacheLineBytes * 8 / accumulatorType.getIntOrFloatBitWidth();
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t column = 0, end = tile.panels * product.getPanelWidth();
         column < end; column += line)
      memref::PrefetchOp::create(builder, loc, product.out,
                                 ValueRange{index(row), index(column)},
                                 /*isWrite=*/true, /*localityHint=*/3,
                                 /*isDataCache=*/true);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value PanelTileEmitter::emitFma(Value a, Value b, Value sum) {
  // Its second factor is the one that may come from memory.
  if (kernel == PanelKernel::DotPairs)
    return x86vector::DotBF16Op::create(builder, loc, sum.getType(), sum, b, a);
  if (options.target.hasFMA)
    return math::FmaOp::create(builder, loc, a, b, sum);
  // A call for each element, otherwise.
  Value product = arith::MulFOp::create(builder, loc, a, b);
  return arith::AddFOp::create(builder, loc, sum, product);
}

/// One product for each sum. `weights` are the vectors of all panels, and
/// `input` is what they are multiplied by in every row.
void PanelTileEmitter::multiply(const PanelTile &tile, ArrayRef<Value> weights,
                                Value input, bool half,
                                MutableArrayRef<Value> sums) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    Value left = loadLhs(product.lhs, index(row), input, half);
    for (auto [column, right] : llvm::enumerate(weights)) {
      if (column == 1 && tile.sameLhs)
        left = loadLhs(tile.sameLhs, index(row), input, half);
      Value &sum = sums[row * weights.size() + column];
      sum = emitFma(left, right, sum);
    }
  }
}

/// The products of one input, or of one pair (of its first input alone, if
/// `half`): `step` steps after the block's first.
void PanelTileEmitter::emitStep(const PanelTile &tile, Value step, bool half,
                                MutableArrayRef<Value> sums) {
  int64_t stepInputs = getStepInputs();
  Value input =
      stepInputs == 1
          ? step
          : builder.createOrFold<arith::MulIOp>(loc, step, index(stepInputs));
  // The weights of a row alone are used once, and those of many panels are more
  // than there are registers beside the sums.
  bool oneByOne = kernel == PanelKernel::WidenedPairs && tile.rows == 1;
  SmallVector<Value> weights;
  for (int64_t panel = 0; panel < tile.panels; ++panel)
    for (int64_t vector = 0; vector < vectors; ++vector) {
      weights.push_back(loadWeights(panel, vector, step));
      if (!oneByOne)
        continue;
      multiplyWidened(tile, weights, input, half,
                      sums.slice(panel * vectors + vector, 1));
      weights.clear();
    }
  if (oneByOne)
    return;
  if (kernel == PanelKernel::WidenedPairs)
    return multiplyWidened(tile, weights, input, half, sums);
  for (Value &weight : weights)
    if (kernel == PanelKernel::Fma)
      weight = convert(weight, accumulatorType);
  multiply(tile, weights, input, half, sums);
}

/// Both products of pairs of bf16, in the order of the instruction that adds
/// them.
void PanelTileEmitter::multiplyWidened(const PanelTile &tile,
                                       ArrayRef<Value> weights, Value input,
                                       bool half, MutableArrayRef<Value> sums) {
  Type i32 = builder.getI32Type();
  for (bool odd : {true, false}) {
    if (odd && half)
      continue;
    SmallVector<Value> factors;
    auto type = VectorType::get({lanes}, i32);
    for (Value weight : weights) {
      Value bits = bitcast(builder, loc, weight, i32);
      Value mask = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type,
                                 builder.getI32IntegerAttr(odd ? -65536 : 16)));
      bits = odd ? Value(arith::AndIOp::create(builder, loc, bits, mask))
                 : Value(arith::ShLIOp::create(builder, loc, bits, mask));
      Value factor = bitcast(builder, loc, bits, builder.getF32Type());
      factors.push_back(convert(factor, accumulatorType));
    }
    multiply(tile, factors, odd ? add(input, index(1)) : input, half, sums);
  }
}

/// The sums over the tile's inputs, from zero.
PanelTileEmitter::Accumulators
PanelTileEmitter::emitSteps(const PanelTile &tile) {
  Value zero = arith::ConstantOp::create(
      builder, loc,
      builder.getZeroAttr(VectorType::get({lanes}, accumulatorType)));
  Accumulators sums(tile.rows * tile.panels * vectors, zero);
  // One step an iteration: of several, LLVM's scheduler moves loads up until
  // the sums do not stay in registers.
  int64_t stepInputs = getStepInputs();
  Extent steps = divide(tile.inputs, stepInputs);
  sums = emitStripLoop(builder, loc, index(0), steps.value, index(1), sums,
                       [&](Value step, ValueRange args) {
                         Accumulators next(args);
                         emitPrefetch(tile, step);
                         emitStep(tile, step, /*half=*/false, next);
                         return next;
                       });
  if (stepInputs == 1)
    return sums;
  // An input without a partner.
  Extent paired = roundDown(tile.inputs, stepInputs);
  Value isOdd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      paired.value, tile.inputs.value);
  auto branch = scf::IfOp::create(builder, loc, ValueRange(sums).getTypes(),
                                  isOdd, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, sums);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitStep(tile, steps.value, /*half=*/true, sums);
  scf::YieldOp::create(builder, loc, sums);
  return Accumulators(branch.getResults());
}

//===----------------------------------------------------------------------===//
// The tile's function
//===----------------------------------------------------------------------===//

void PanelTileEmitter::emitBody(const PanelTile &tile) {
  SmallVector<Value> masks;
  if (tile.columns) {
    auto type = VectorType::get({lanes}, builder.getI1Type());
    // A mask has no lanes where its size is not positive.
    for (int64_t i = 0; i < tile.panels * vectors; ++i)
      masks.push_back(vector::CreateMaskOp::create(
          builder, loc, type,
          builder.createOrFold<arith::SubIOp>(loc, tile.columns,
                                              index(i * lanes))));
  }
  emitTotalsPrefetch(tile);
  Accumulators sums = emitSteps(tile);
  if (kernel == PanelKernel::DotPairs)
    sums = emitTinySums(masks, sums);
  int64_t vectorsOfRow = tile.panels * vectors;
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t i = 0; i < vectorsOfRow; ++i) {
      Value indices[] = {index(row), index(i * lanes)};
      Value mask = masks.empty() ? Value() : masks[i];
      Value total = access.load(product.out, indices, {0, 1}, lanes, mask);
      total = arith::AddFOp::create(builder, loc, total,
                                    sums[row * vectorsOfRow + i]);
      access.store(total, product.out, indices, {0, 1}, mask);
    }
  }
}

/// `view` as a function takes it that serves views of any strides but the
/// contiguous innermost ones.
static Value castToAnyStrides(OpBuilder &builder, Location loc, Value view) {
  auto type = cast<MemRefType>(view.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  unsigned dims = type.getRank() == 2 ? 1 : type.getRank() - 1;
  for (int64_t dim = 0, end = type.getRank() - dims; dim < end; ++dim)
    strides[dim] = ShapedType::kDynamic;
  type = MemRefType::get(type.getShape(), type.getElementType(),
                         StridedLayoutAttr::get(builder.getContext(),
                                                ShapedType::kDynamic, strides));
  return builder.createOrFold<memref::CastOp>(loc, type, view);
}

/// `view` with the sizes and strides of another, which are the same: fewer
/// numbers to keep.
static Value emitWithStridesOf(OpBuilder &builder, Location loc, Value view,
                               Value other) {
  auto base = memref::ExtractStridedMetadataOp::create(builder, loc, view);
  auto shape = memref::ExtractStridedMetadataOp::create(builder, loc, other);
  return memref::ReinterpretCastOp::create(
      builder, loc, cast<MemRefType>(view.getType()), base.getBaseBuffer(),
      base.getConstifiedMixedOffset(), shape.getConstifiedMixedSizes(),
      shape.getConstifiedMixedStrides());
}

/// The tile's rows, weights and columns.
SmallVector<Value> PanelTileEmitter::getOperands(const PanelTile &tile) {
  auto createView = [&](Value buffer, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
    return castToAnyStrides(builder, loc,
                            memref::SubViewOp::create(builder, loc, buffer,
                                                      offsets, sizes, strides));
  };
  // One function for any number of inputs.
  OpFoldResult inputs = tile.inputs.value,
               rows = builder.getIndexAttr(tile.rows);
  Value row = add(tile.firstRow, tile.row);
  Value lhs =
      tile.lhsScratch
          ? createView(tile.lhsScratch, {tile.row, index(0)}, {rows, inputs})
          : createView(product.lhs, {row, tile.input}, {rows, inputs});
  Extent steps =
      divide({add(tile.inputs.value, index(getStepInputs() - 1)), std::nullopt},
             getStepInputs());
  int64_t width = product.getPanelWidth();
  SmallVector<OpFoldResult> offsets{add(firstPanel, tile.panel),
                                    add(firstStep, tile.step)},
      sizes{builder.getIndexAttr(tile.panels), steps.value};
  for (int64_t size :
       cast<MemRefType>(product.packed.getType()).getShape().drop_front(2)) {
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(builder.getIndexAttr(size));
  }
  Value weights = createView(product.packed, offsets, sizes);
  Value column =
      builder.createOrFold<arith::MulIOp>(loc, tile.panel, index(width));
  OpFoldResult columns =
      tile.columns ? OpFoldResult(tile.columns)
                   : OpFoldResult(builder.getIndexAttr(tile.panels * width));
  Value out = createView(product.out, {row, column}, {rows, columns});
  SmallVector<Value> operands{lhs, weights, out};
  if (tile.prefetch != PanelPrefetch::None)
    llvm::append_values(operands, tile.prefetched, tile.prefetchStride);
  if (loadsTwice(tile))
    operands.push_back(lhs);
  return operands;
}

void PanelTileEmitter::emitTile(const PanelTile &tile) {
  SmallVector<Value> operands = getOperands(tile);
  std::string name = "xfmr_panel_tile";
  llvm::raw_string_ostream stream(name);
  stream << '_' << tile.rows << 'x' << tile.panels;
  if (tile.columns)
    stream << "_masked";
  if (tile.prefetch == PanelPrefetch::SecondCache)
    stream << "_few";
  for (Value operand : ArrayRef(operands).take_front(3)) {
    auto type = cast<MemRefType>(operand.getType());
    stream << '_' << type.getElementType();
    if (!type.isLastDimUnitStride())
      stream << 's';
  }
  callKernel(
      name, operands, [&](PanelTileEmitter &emitter, func::FuncOp function) {
        PanelTile body;
        body.rows = tile.rows;
        body.panels = tile.panels;
        body.inputs.value =
            memref::DimOp::create(builder, loc, function.getArgument(0), 1);
        if (tile.columns)
          body.columns =
              memref::DimOp::create(builder, loc, function.getArgument(2), 1);
        body.prefetch = tile.prefetch;
        if (tile.prefetch != PanelPrefetch::None) {
          body.prefetched = function.getArgument(3);
          body.prefetchStride = function.getArgument(4);
        }
        if (loadsTwice(tile))
          body.sameLhs =
              emitWithStridesOf(builder, loc, function.getArguments().back(),
                                function.getArgument(0));
        emitter.emitBody(body);
      });
}

void PanelTileEmitter::callKernel(
    StringRef name, ArrayRef<Value> operands,
    function_ref<void(PanelTileEmitter &, func::FuncOp)> emit) {
  func::FuncOp function = getKernelFunction(
      builder, loc, hoist->getParentOfType<FunctionOpInterface>(), name,
      builder.getFunctionType(ValueRange(operands).getTypes(), {}),
      [&](func::FuncOp function) {
        PanelProduct rows;
        rows.lhs = function.getArgument(0);
        rows.packed = function.getArgument(1);
        rows.out = function.getArgument(2);
        rows.firstPanel = rows.firstInput = builder.getIndexAttr(0);
        // A mark before which whatever does not depend on the position is put.
        Operation *mark = arith::ConstantIndexOp::create(builder, loc, 0);
        PanelTileEmitter emitter(builder, loc, rows, options, mark);
        emit(emitter, function);
        builder.eraseOp(mark);
        func::ReturnOp::create(builder, loc);
      });
  func::CallOp::create(builder, loc, function, operands);
}
