//===- RowLoweringStores.cpp - The pass over rows that stores -------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringEmit.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

void RowEmitter::prefetchNextRow(Strip &strip) {
  if (!hasPrefetched && !strip.mask)
    values.prefetchNextRow(strip, variant.prefetchFar);
}

/// The one pass that writes, but for an early result that is not computed again
/// where it is streamed: a strip's values are all computed before the first is
/// stored.
void RowEmitter::emitStores() {
  SmallVector<RowPlanSink> perElement, perRow;
  for (const RowPlanSink &sink : plan.sinks)
    if (&sink != early)
      (sink.isPerRow ? perRow : perElement).push_back(sink);
  // Those stored in any case first.
  if (storesEarlyLast())
    perElement.push_back(*early);
  if (!perElement.empty()) {
    SmallVector<unsigned> roots;
    for (const RowPlanSink &sink : perElement)
      roots.push_back(sink.node);
    StripShape shape =
        chooseStoringShape(plan, options, roots, values.getStored());
    if (variant.step.isUnrolled)
      shape = matchReductions(plan, shape).inUnits();
    else if (values.getNumRows() > 1)
      shape.width = std::max(shape.unit, shape.width / values.getNumRows());
    else
      shape.mergesRest = variant.step.rows > 1;
    values.beginPass();
    SmallVector<StripResults> unstored;
    NodeSet nodes = getComputedNodes(plan, roots, values.getStored());
    auto compute = [&](ArrayRef<Strip *> strips, ValueRange) {
      // Before all else: behind what waits for the row at hand, it comes too
      // late for the next.
      if (storesAtOnce())
        emitIf(
            builder, loc, variant.prefetch,
            [&] {
              for (Strip *strip : strips)
                prefetchNextRow(*strip);
            },
            [] {});
      if (roundsTogether())
        values.roundTogether(nodes, strips);
      for (Strip *strip : strips) {
        StripResults &of = unstored.emplace_back();
        of.strip = strip;
        llvm::append_range(of.positions, values.getPositions());
        for (const RowPlanSink &sink : perElement)
          of.results.push_back(
              values.getVector(sink.node, sink.output, *strip));
      }
      if (storesAtOnce())
        storeStrips(perElement, std::exchange(unstored, {}));
      return SmallVector<Value>();
    };
    columnLoops.emit(getStepRows(), plan.columns, {}, shape, {}, team, compute);
    if (!unstored.empty())
      storeStrips(perElement, unstored);
    values.endPass();
  }
  values.beginPass();
  SmallVector<Value> results;
  for (const RowPlanSink &sink : perRow)
    results.push_back(values.getPerRow(sink.node, sink.output));
  // Others may still read what lies there, or the sums of blocks.
  if (team && (!perRow.empty() || getNumPasses() == 1))
    team->wait(builder, loc);
  Condition isOwner = {true, {}};
  if (team && !perRow.empty())
    isOwner = {std::nullopt, team->isLast()};
  emitIf(
      builder, loc, isOwner,
      [&] {
        for (auto [sink, result] : llvm::zip_equal(perRow, results))
          values.storePerRow(sink, result);
      },
      [] {});
  values.endPass();
}

/// Stores what was computed of strips, all of it behind one branch.
void RowEmitter::storeStrips(ArrayRef<RowPlanSink> sinks,
                             ArrayRef<StripResults> strips) {
  auto forEach = [&](function_ref<void(const StripResults &)> body) {
    for (const StripResults &strip : strips) {
      values.setPositions(strip.positions);
      body(strip);
    }
  };
  auto store = [&](bool stream) {
    forEach([&](const StripResults &strip) {
      int64_t alignment =
          stream && !strip.strip->mask ? options.vectorBytes : 0;
      size_t count = sinks.size() - (storesEarlyLast() && !stream);
      for (size_t index = 0; index < count; ++index)
        values.storeVector(sinks[index], strip.results[index], *strip.strip,
                           alignment);
    });
  };
  if (!storesEarlyLast() &&
      llvm::all_of(strips, [](const StripResults &strip) -> bool {
        return strip.strip->mask != nullptr;
      }))
    return store(false);
  auto storeWhole = [&] {
    emitIf(
        builder, loc, variant.stream, [&] { store(true); },
        [&] { store(false); });
  };
  if (storesAtOnce())
    return storeWhole();
  // Where neither is, one branch tells.
  emitIf(
      builder, loc, variant.prefetch,
      [&] {
        forEach(
            [&](const StripResults &strip) { prefetchNextRow(*strip.strip); });
        storeWhole();
      },
      [&] { variant.prefetch.known ? storeWhole() : store(false); });
}
