//===- RowLoweringEmit.cpp - The loops of a row group ---------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass over a row walks its outer column dims by loops and the last one in
// strips: a main loop of several native vectors a step, a loop of one unit a
// step, and one masked unit for the rest. A unit is a native vector, or a pair
// of them that hold the even and the odd elements. A reduction keeps
// `accumulators` vectors of partial sums for the main loop and one for the
// rest; element i (or pair i) of the main part always belongs to lane i mod
// (accumulators * lanes), however many are computed at once.
//
//===----------------------------------------------------------------------===//

#include "RowLoweringKept.h"
#include "RowLoweringLong.h"
#include "RowLoweringValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

namespace {

/// A reduction of the current pass.
struct Reduction {
  unsigned node, output;
  Operation *combiner;
  Type type;
  bool isDot;
};

/// Computes one strip; takes and returns one accumulator a reduction.
using ComputeStrip = function_ref<SmallVector<Value>(Strip &, ValueRange)>;

class RowEmitter {
public:
  RowEmitter(RewriterBase &builder, Location loc, const RowPlan &plan,
             const RowLoweringOptions &options, RowVariant variant,
             Operation *hoist)
      : builder(builder), loc(loc), plan(plan), options(options),
        variant(variant), hoist(hoist), loops(builder, loc, hoist, plan.dims),
        values(builder, loc, plan, hoist), kept(builder, loc, plan, loops),
        shareFrom(options.shareRowsFrom) {}

  void emit();

private:
  void emitRowLoops(ArrayRef<unsigned> rows);
  void emitRow();
  void emitReductions(ArrayRef<Reduction> reductions);
  SmallVector<Value> emitTotals(ArrayRef<Reduction> reductions,
                                ArrayRef<const RowPlanSink *> sinks,
                                bool prefetches = false);
  bool balancesUnits(ArrayRef<Reduction> reductions) const;
  Value getOnes(int64_t width);
  Value emitIsTiny(ArrayRef<Reduction> reductions, ArrayRef<Value> totals);
  const RowPlanSink *takeEarlySink(ArrayRef<Reduction> reductions);
  SmallVector<const RowPlanSink *>
  keepValues(ArrayRef<Reduction> reductions,
             ArrayRef<const RowPlanSink *> results);
  void storeKept(const RowPlanSink &sink, Value value, Strip &strip);
  void emitStores();

  SmallVector<Value> emitColumns(ArrayRef<unsigned> columns,
                                 ValueRange accumulators, StripShape shape,
                                 ComputeStrip compute);
  SmallVector<Value> emitStrips(ValueRange accumulators, StripShape shape,
                                ComputeStrip compute);
  bool hasMain(StripShape shape) const;
  bool hasSingles(StripShape shape) const;
  Value combine(const Reduction &reduction, Value a, Value b);
  Value foldTotal(const Reduction &reduction, ArrayRef<Value> main, Value rest,
                  StripShape shape);
  Value addInitial(const Reduction &reduction, Value total);

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  const RowLoweringOptions &options;
  RowVariant variant;
  Operation *hoist;
  Value one;
  StripLoops loops;
  RowValues values;
  KeptValues kept;
  /// An earlier pass than the last fetches the next row.
  bool hasPrefetched = false;
  /// The result that the first pass keeps, and where a row of it lies, once
  /// that is known.
  const RowPlanSink *early = nullptr, *earlyPlace = nullptr;
  /// The reductions of a pass over rows that may be long.
  ArrayRef<Reduction> longReductions;
  /// Elements from which threads may share a row; 0 for none.
  int64_t shareFrom;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool RowEmitter::hasMain(StripShape shape) const {
  int64_t extent = plan.dims[shape.dim].extent;
  return shape.getStep() > shape.unit &&
         (ShapedType::isDynamic(extent) || extent >= shape.getStep());
}

bool RowEmitter::hasSingles(StripShape shape) const {
  int64_t extent = plan.dims[shape.dim].extent;
  if (ShapedType::isDynamic(extent))
    return true;
  return (shape.getStep() > shape.unit ? extent % shape.getStep() : extent) >=
         shape.unit;
}

SmallVector<Value> RowEmitter::emitColumns(ArrayRef<unsigned> columns,
                                           ValueRange accumulators,
                                           StripShape shape,
                                           ComputeStrip compute) {
  if (columns.size() == 1)
    return emitStrips(accumulators, shape, compute);
  unsigned dim = columns.front();
  // Its position is known, and values that depend on it alone are the row's.
  if (plan.dims[dim].extent == 1)
    return emitColumns(columns.drop_front(), accumulators, shape, compute);
  return loops.emitFor(loops.getConstant(0), loops.getExtent(dim), 1,
                       accumulators, [&](Value iv, ValueRange args) {
                         values.setPosition(dim, iv);
                         return emitColumns(columns.drop_front(), args, shape,
                                            compute);
                       });
}

/// `accumulators` holds those of each chunk of the main loop, then those of the
/// rest.
SmallVector<Value> RowEmitter::emitStrips(ValueRange accumulators,
                                          StripShape shape,
                                          ComputeStrip compute) {
  unsigned dim = shape.dim;
  size_t perStrip = accumulators.size() / (shape.chunks + 1);
  size_t numMain = perStrip * shape.chunks;
  SmallVector<Value> main =
      SmallVector<Value>(accumulators.take_front(numMain));
  SmallVector<Value> rest =
      SmallVector<Value>(accumulators.drop_front(numMain));
  int64_t step = shape.getStep();

  auto emitMain = [&](Value from, Value to, ValueRange inits) {
    return loops.emitFor(from, to, step, inits, [&](Value iv, ValueRange args) {
      SmallVector<Value> next;
      for (int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
        Value offset = loops.getConstant(chunk * shape.width);
        values.setPosition(
            dim, builder.createOrFold<arith::AddIOp>(loc, iv, offset));
        Strip strip(dim, shape.width, shape.isPaired);
        llvm::append_range(
            next, compute(strip, args.slice(chunk * perStrip, perStrip)));
      }
      return next;
    });
  };
  bool isShared = accumulators.empty() && shareFrom != 0 &&
                  plan.columns.size() == 1 && mayBeLong(plan.dims[dim].extent);
  if (hasMain(shape)) {
    Value end = loops.getMultiple(dim, step);
    if (!longReductions.empty())
      main = emitBlockSums(
          builder, loc, loops, end, main, emitMain,
          [&](size_t index, Value a, Value b) {
            return combine(longReductions[index % perStrip], a, b);
          },
          shareFrom);
    else if (isShared)
      emitSharedBlocks(builder, loc, loops, end, emitMain, shareFrom);
    else
      main = emitMain(loops.getConstant(0), end, main);
  }
  auto emitSingles = [&](Value from, Value to, ValueRange inits) {
    return loops.emitFor(from, to, shape.unit, inits,
                         [&](Value iv, ValueRange args) {
                           values.setPosition(dim, iv);
                           Strip strip(dim, shape.unit, shape.isPaired);
                           return compute(strip, args);
                         });
  };
  if (hasSingles(shape)) {
    Value end = loops.getMultiple(dim, shape.unit);
    if (step > shape.unit)
      rest = emitSingles(loops.getMultiple(dim, step), end, rest);
    else if (isShared)
      emitSharedBlocks(builder, loc, loops, end, emitSingles, shareFrom);
    else
      rest = emitSingles(loops.getConstant(0), end, rest);
  }
  if (loops.hasTail(dim, shape.unit) && shape.isPaired)
    for (unsigned parity : {0, 1})
      loops.getTailMaskOfHalf(dim, shape.unit, parity);
  rest = loops.emitTail(dim, shape.unit, rest, [&](Value from, Value mask) {
    values.setPosition(dim, from);
    Strip strip(dim, shape.unit, shape.isPaired);
    strip.mask = mask;
    for (StripPart &part : strip.getParts())
      part.mask = shape.isPaired
                      ? loops.getTailMaskOfHalf(dim, shape.unit, part.parity)
                      : mask;
    return compute(strip, rest);
  });
  llvm::append_range(main, rest);
  return main;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

Value RowEmitter::combine(const Reduction &reduction, Value a, Value b) {
  if (auto fma = dyn_cast<math::FmaOp>(reduction.combiner))
    return arith::AddFOp::create(builder, loc, a, b, fma.getFastmath());
  return mlir::clone(builder, reduction.combiner, a.getType(), {a, b})
      ->getResult(0);
}

/// All partial results of a reduction as one scalar.
Value RowEmitter::foldTotal(const Reduction &reduction, ArrayRef<Value> main,
                            Value rest, StripShape shape) {
  auto pair = [&](Value a, Value b) { return combine(reduction, a, b); };
  Value total;
  if (hasMain(shape)) {
    SmallVector<Value> chunks = llvm::to_vector(main);
    while (chunks.size() > 1) {
      size_t half = chunks.size() / 2;
      for (size_t i = 0; i < half; ++i)
        chunks[i] = pair(chunks[i], chunks[i + half]);
      chunks.resize(half);
    }
    total = foldLanes(builder, loc, chunks.front(), plan.lanes, pair);
  }
  if (hasSingles(shape) || loops.hasTail(shape.dim, shape.unit) || !total)
    total = total ? pair(total, rest) : rest;
  return reduceLanes(builder, loc, total, pair);
}

Value RowEmitter::addInitial(const Reduction &reduction, Value total) {
  const RowNode &node = plan.nodes[reduction.node];
  linalg::LinalgOp op = node.op;
  OpOperand *init = op.getDpsInitOperand(reduction.output);
  Value initial = values.getPerRow(node.operands[init->getOperandNumber()]);
  if (!initial)
    return total;
  Attribute constant;
  if (matchPattern(initial, m_Constant(&constant)) &&
      constant == getNeutralValue(reduction.combiner, reduction.type))
    return total;
  return combine(reduction, initial, total);
}

/// Whether a pass adds and multiplies, which different units of the CPU do:
/// those that multiply can take half of the additions, too.
bool RowEmitter::balancesUnits(ArrayRef<Reduction> reductions) const {
  auto isAny = [&](auto predicate) {
    return llvm::any_of(reductions, [&](const Reduction &reduction) {
      return reduction.type.isF32() && !reduction.isDot && predicate(reduction);
    });
  };
  return isAny([](const Reduction &reduction) {
           return isa<arith::AddFOp>(reduction.combiner);
         }) &&
         isAny([](const Reduction &reduction) {
           return isa<math::FmaOp>(reduction.combiner);
         });
}

/// A vector of ones, of which LLVM does not know that it is.
Value RowEmitter::getOnes(int64_t width) {
  if (!one) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(hoist);
    Value known =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1.0f));
    one = LLVM::InlineAsmOp::create(
              builder, loc, known.getType(), known, /*asm_string=*/"",
              /*constraints=*/"=x,0", /*has_side_effects=*/false,
              /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
              /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr)
              .getResult(0);
  }
  return broadcastLanes(builder, loc, one, width);
}

/// Stores what later passes read, and a result besides if that lies elsewhere.
void RowEmitter::storeKept(const RowPlanSink &sink, Value value, Strip &strip) {
  values.storeVector(sink, value, strip);
  if (&sink != earlyPlace)
    return;
  emitIf(
      builder, loc, variant.stream,
      [&] {
        int64_t alignment = strip.mask ? 0 : options.vectorBytes;
        values.storeVector(*early, value, strip, alignment);
      },
      [] {});
}

/// One pass over the row; `sinks` are stored on the way.
SmallVector<Value> RowEmitter::emitTotals(ArrayRef<Reduction> reductions,
                                          ArrayRef<const RowPlanSink *> sinks,
                                          bool prefetches) {
  int64_t count = reductions.size();
  int64_t share = std::max<int64_t>(1, options.accumulators / count);
  share = static_cast<int64_t>(llvm::bit_floor<uint64_t>(share));
  SmallVector<unsigned> roots;
  for (const Reduction &reduction : reductions)
    roots.push_back(reduction.node);
  ArrayRef<unsigned> columns = plan.nodes[roots.front()].columns;
  StripShape shape =
      chooseReductionShape(plan, options, roots, columns.back(), share * count,
                           share, values.getStored());

  bool balances = options.isX86 && balancesUnits(reductions);
  // Additions of every other strip are multiplications and additions.
  if (balances && shape.chunks == 1 && shape.width > shape.unit) {
    shape.width /= 2;
    shape.chunks = 2;
  }
  int64_t strips = 0;

  values.beginPass();
  SmallVector<Value> accumulators;
  auto addNeutral = [&](int64_t width) {
    for (const Reduction &reduction : reductions) {
      auto type =
          VectorType::get({shape.isPaired ? width / 2 : width}, reduction.type);
      accumulators.push_back(arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(
              type,
              Attribute(getNeutralValue(reduction.combiner, reduction.type)))));
    }
  };
  for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
    addNeutral(shape.width);
  addNeutral(shape.unit);
  if (columns.size() == 1 && mayBeLong(plan.dims[shape.dim].extent))
    longReductions = reductions;
  accumulators = emitColumns(
      columns, accumulators, shape, [&](Strip &strip, ValueRange args) {
        SmallVector<Value> next;
        Value one =
            balances && strips++ % 2 ? getOnes(strip.getPartWidth()) : Value();
        for (auto [reduction, accumulator] : llvm::zip_equal(reductions, args))
          next.push_back(
              reduction.isDot
                  ? values.accumulateDot(reduction.node, reduction.output,
                                         accumulator, strip)
                  : values.accumulate(reduction.node, reduction.output,
                                      accumulator, strip, one));
        SmallVector<Value> results;
        for (const RowPlanSink *sink : sinks)
          results.push_back(values.getVector(sink->node, sink->output, strip));
        for (auto [sink, result] : llvm::zip_equal(sinks, results))
          storeKept(*sink, result, strip);
        // A branch on it would cost accumulators their registers.
        Condition isFar{variant.prefetchFar.known.value_or(false), {}};
        if (prefetches && !strip.mask)
          emitIf(
              builder, loc, variant.prefetch,
              [&] { values.prefetchNextRow(strip, isFar); }, [] {});
        return next;
      });
  longReductions = {};
  values.endPass();

  SmallVector<Value> totals;
  for (auto [index, reduction] : llvm::enumerate(reductions)) {
    SmallVector<Value> main;
    for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
      main.push_back(accumulators[chunk * count + index]);
    Value rest = accumulators[shape.chunks * count + index];
    totals.push_back(foldTotal(reduction, main, rest, shape));
  }
  return totals;
}

/// Whether what the dot product has flushed to zero may matter in one of the
/// totals: less than 2^-126 for each product and each sum.
Value RowEmitter::emitIsTiny(ArrayRef<Reduction> reductions,
                             ArrayRef<Value> totals) {
  Value limit = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(std::ldexp(1.0f, -60)));
  Value isTiny;
  for (auto [reduction, total] : llvm::zip_equal(reductions, totals)) {
    if (!reduction.isDot)
      continue;
    Value magnitude = math::AbsFOp::create(builder, loc, total);
    Value isSmall = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT, magnitude, limit);
    isTiny = isTiny ? builder.createOrFold<arith::OrIOp>(loc, isTiny, isSmall)
                    : isSmall;
  }
  return isTiny;
}

void RowEmitter::emitReductions(ArrayRef<Reduction> reductions) {
  SmallVector<const RowPlanSink *> sinks;
  if (const RowPlanSink *sink = takeEarlySink(reductions))
    sinks.push_back(sink);
  SmallVector<const RowPlanSink *> scratch = keepValues(reductions, sinks);
  llvm::append_range(sinks, scratch);
  // What the row waits for memory with is the pass with most to compute.
  bool prefetches = !scratch.empty() && !std::exchange(hasPrefetched, true);
  SmallVector<Value> totals = emitTotals(reductions, sinks, prefetches);
  for (const RowPlanSink *sink : sinks)
    values.readFrom(*sink);

  if (Value isTiny = emitIsTiny(reductions, totals)) {
    SmallVector<Reduction> exact = llvm::to_vector(reductions);
    for (Reduction &reduction : exact)
      reduction.isDot = false;
    Value unlikely = emitUnlikely(builder, loc, isTiny);
    auto branch =
        scf::IfOp::create(builder, loc, ValueRange(totals).getTypes(), unlikely,
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, totals);
    builder.setInsertionPointToStart(branch.thenBlock());
    RowValues::RowState state = values.getRowState();
    int64_t sharedFrom = std::exchange(shareFrom, 0);
    scf::YieldOp::create(builder, loc, emitTotals(exact, {}));
    shareFrom = sharedFrom;
    values.setRowState(std::move(state));
    totals = SmallVector<Value>(branch.getResults());
  }

  values.beginPass();
  for (auto [reduction, total] : llvm::zip_equal(reductions, totals))
    values.setReduced(reduction.node, reduction.output,
                      addInitial(reduction, total));
  values.endPass();
}

/// The place of the result that the pass of `reductions` stores on its way.
const RowPlanSink *RowEmitter::takeEarlySink(ArrayRef<Reduction> reductions) {
  if (!early || earlyPlace ||
      plan.nodes[reductions.front().node].columns != plan.columns)
    return nullptr;
  return earlyPlace = kept.keepResult(
             *early, variant.stream, variant.isLarge,
             [&](unsigned dim) { return values.getPosition(dim); });
}

/// What the pass of `reductions` computes at some expense and later ones need,
/// apart from `results` that it stores.
SmallVector<const RowPlanSink *>
RowEmitter::keepValues(ArrayRef<Reduction> reductions,
                       ArrayRef<const RowPlanSink *> results) {
  const RowNode &first = plan.nodes[reductions.front().node];
  if (first.columns != plan.columns)
    return {};
  StoredOutputs stored = values.getStored();
  for (const RowPlanSink *sink : results)
    stored[{sink->node, sink->output}] = sink;
  SmallVector<unsigned> pass, later;
  for (const Reduction &reduction : reductions)
    pass.push_back(reduction.node);
  for (unsigned index = 0, e = plan.nodes.size(); index < e; ++index)
    if (plan.nodes[index].isReduction() &&
        plan.nodes[index].level > first.level)
      later.push_back(index);
  for (const RowPlanSink &sink : plan.sinks)
    if (!sink.isPerRow && &sink != early)
      later.push_back(sink.node);
  return kept.keep(pass, later, stored);
}

/// The one pass that writes, but for an early result: a strip's values are all
/// computed before the first is stored.
void RowEmitter::emitStores() {
  SmallVector<RowPlanSink> perElement, perRow;
  for (const RowPlanSink &sink : plan.sinks)
    if (&sink != early)
      (sink.isPerRow ? perRow : perElement).push_back(sink);
  if (!perElement.empty()) {
    SmallVector<unsigned> roots;
    for (const RowPlanSink &sink : perElement)
      roots.push_back(sink.node);
    StripShape shape =
        chooseStoringShape(plan, options, roots, values.getStored());
    values.beginPass();
    emitColumns(plan.columns, {}, shape, [&](Strip &strip, ValueRange) {
      SmallVector<Value> results;
      for (const RowPlanSink &sink : perElement)
        results.push_back(values.getVector(sink.node, sink.output, strip));
      auto store = [&](bool stream) {
        for (auto [sink, result] : llvm::zip_equal(perElement, results))
          values.storeVector(sink, result, strip,
                             stream ? options.vectorBytes : 0);
      };
      if (strip.mask) {
        store(false);
        return SmallVector<Value>();
      }
      auto storeWhole = [&] {
        emitIf(
            builder, loc, variant.stream, [&] { store(true); },
            [&] { store(false); });
      };
      // Where neither is, one branch tells.
      emitIf(
          builder, loc, variant.prefetch,
          [&] {
            if (!hasPrefetched)
              values.prefetchNextRow(strip, variant.prefetchFar);
            storeWhole();
          },
          [&] { variant.prefetch.known ? storeWhole() : store(false); });
      return SmallVector<Value>();
    });
    values.endPass();
  }
  values.beginPass();
  SmallVector<Value> results;
  for (const RowPlanSink &sink : perRow)
    results.push_back(values.getPerRow(sink.node, sink.output));
  for (auto [sink, result] : llvm::zip_equal(perRow, results))
    values.storePerRow(sink, result);
  values.endPass();
}

void RowEmitter::emitRow() {
  for (unsigned level = 1; level <= plan.levels; ++level) {
    // Reductions over the same columns share a pass.
    SmallVector<SmallVector<Reduction>> passes;
    for (unsigned index = 0, e = plan.nodes.size(); index < e; ++index) {
      const RowNode &node = plan.nodes[index];
      if (!node.isReduction() || node.level != level)
        continue;
      auto *pass = llvm::find_if(passes, [&](ArrayRef<Reduction> others) {
        const RowNode &other = plan.nodes[others.front().node];
        return other.columns == node.columns && other.isPaired == node.isPaired;
      });
      if (pass == passes.end())
        pass = &passes.emplace_back();
      for (unsigned output = 0; output < node.combiners.size(); ++output)
        pass->push_back(
            {index, output, node.combiners[output],
             node.combiners[output]->getResult(0).getType(),
             options.useBF16Dot && !getDotFactors(node, output).empty()});
    }
    for (ArrayRef<Reduction> pass : passes)
      emitReductions(pass);
  }
  emitStores();
}

void RowEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  for (auto [dim, rowDim] : llvm::enumerate(plan.dims))
    if (rowDim.extent == 1)
      values.setPosition(dim, loops.getConstant(0));
  if (variant.keepEarly)
    early = findEarlySink(plan);
  kept.begin();
  emitRowLoops(plan.rows);
  kept.end();
}

void RowEmitter::emitRowLoops(ArrayRef<unsigned> rows) {
  if (rows.empty())
    return emitRow();
  unsigned dim = rows.front();
  if (plan.dims[dim].extent == 1)
    return emitRowLoops(rows.drop_front());
  loops.emitFor(loops.getConstant(0), loops.getExtent(dim), 1, {},
                [&](Value iv, ValueRange) {
                  values.setPosition(dim, iv);
                  emitRowLoops(rows.drop_front());
                  return SmallVector<Value>();
                });
}

void rows::emitRows(RewriterBase &rewriter, Location loc, const RowPlan &plan,
                    const RowLoweringOptions &options, RowVariant variant,
                    Operation *hoist) {
  RowEmitter(rewriter, loc, plan, options, variant, hoist).emit();
}
