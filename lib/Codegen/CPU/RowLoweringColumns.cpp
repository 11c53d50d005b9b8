//===- RowLoweringColumns.cpp - A pass over the columns of rows -----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <deque>

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

bool ColumnLoops::hasMain(StripShape shape) const {
  int64_t extent = plan.dims[shape.dim].extent;
  return shape.getStep() > shape.unit &&
         (ShapedType::isDynamic(extent) || extent >= shape.getStep());
}

bool ColumnLoops::hasSingles(StripShape shape) const {
  int64_t extent = plan.dims[shape.dim].extent;
  if (ShapedType::isDynamic(extent))
    return true;
  return (shape.getStep() > shape.unit ? extent % shape.getStep() : extent) >=
         shape.unit;
}

SmallVector<Value> ColumnLoops::emit(ArrayRef<unsigned> stepRows,
                                     ArrayRef<unsigned> columns,
                                     ValueRange accumulators, StripShape shape,
                                     BlockSums sums, const RowTeam *team,
                                     ComputeStrips compute, BeginStep begin) {
  llvm::fill(place, -1);
  return emitColumns(
      {stepRows, shape, sums, team, compute, begin, columns.size() == 1},
      columns, accumulators);
}

SmallVector<Value> ColumnLoops::emitColumns(const Pass &pass,
                                            ArrayRef<unsigned> columns,
                                            ValueRange accumulators) {
  if (columns.size() == 1)
    return emitStrips(pass, accumulators);
  unsigned dim = columns.front();
  // Its position is known, and values that depend on it alone are the row's.
  if (plan.dims[dim].extent == 1)
    return emitColumns(pass, columns.drop_front(), accumulators);
  return emitLoop(dim, loops.getConstant(0), loops.getExtent(dim), 1,
                  accumulators, [&](Value iv, ValueRange args) {
                    values.setPosition(dim, iv);
                    return emitColumns(pass, columns.drop_front(), args);
                  });
}

SmallVector<Value> ColumnLoops::emitLoop(
    unsigned dim, Value from, Value to, int64_t step, ValueRange inits,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (!isUnrolled)
    return loops.emitFor(from, to, step, inits, body);
  int64_t first = *getConstantIntValue(from), end = *getConstantIntValue(to);
  SmallVector<Value> carried = llvm::to_vector(inits);
  for (int64_t position = first; position < end; position += step) {
    place[dim] = position;
    carried = body(loops.getConstant(position), carried);
  }
  return carried;
}

SmallVector<Value>
ColumnLoops::computeStrips(const Pass &pass, Value position, int64_t width,
                           ValueRange args,
                           function_ref<Value(Value)> getMask) {
  const StripShape &shape = pass.shape;
  unsigned dim = shape.dim;
  values.setPosition(dim, position);
  Value mask;
  SmallVector<Value, 2> partMasks;
  if (getMask) {
    mask = getMask(loops.getTailMask(dim, shape.unit));
    if (shape.isPaired)
      for (unsigned parity : {0, 1})
        partMasks.push_back(
            getMask(loops.getTailMaskOfHalf(dim, shape.unit, parity)));
  }
  std::deque<Strip> strips;
  SmallVector<Strip *> computed;
  for (unsigned row : pass.stepRows) {
    Strip &strip = strips.emplace_back(row, dim, width, shape.isPaired);
    strip.mask = mask;
    if (mask)
      for (StripPart &part : strip.getParts())
        part.mask = shape.isPaired ? partMasks[part.parity] : mask;
    computed.push_back(&strip);
    if (!isUnrolled)
      continue;
    place[dim] = *getConstantIntValue(position);
    SmallVector<int64_t> key = llvm::to_vector(place);
    key.append({row, dim, shape.isPaired});
    computed.back() = &values.keepStrip(key, strip);
  }
  return pass.compute(computed, args);
}

SmallVector<Value> ColumnLoops::emitStrips(const Pass &pass,
                                           ValueRange accumulators) {
  const StripShape &shape = pass.shape;
  unsigned dim = shape.dim;
  size_t perStrip = accumulators.size() / (shape.chunks + 1);
  size_t numMain = perStrip * shape.chunks;
  SmallVector<Value> main =
      SmallVector<Value>(accumulators.take_front(numMain));
  SmallVector<Value> rest =
      SmallVector<Value>(accumulators.drop_front(numMain));
  int64_t step = shape.getStep();

  auto emitRolled = [&](Value from, Value to, ValueRange inits) {
    return loops.emitFor(
        loops.getConstant(0), loops.getConstant(step), shape.width, inits,
        [&](Value offset, ValueRange args) {
          Value first = builder.createOrFold<arith::AddIOp>(loc, from, offset);
          SmallVector<Value> next =
              SmallVector<Value>(args.drop_front(perStrip));
          llvm::append_range(
              next, loops.emitFor(first, to, step, args.take_front(perStrip),
                                  [&](Value iv, ValueRange inner) {
                                    return computeStrips(pass, iv, shape.width,
                                                         inner);
                                  }));
          return next;
        });
  };
  auto emitMain = [&](Value from, Value to, ValueRange inits) {
    if (shape.isRolled)
      return emitRolled(from, to, inits);
    return emitLoop(dim, from, to, step, inits, [&](Value iv, ValueRange args) {
      if (pass.begin)
        pass.begin(iv, step);
      SmallVector<Value> next;
      for (int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
        Value offset = loops.getConstant(chunk * shape.width);
        llvm::append_range(
            next,
            computeStrips(pass,
                          builder.createOrFold<arith::AddIOp>(loc, iv, offset),
                          shape.width, args.slice(chunk * perStrip, perStrip)));
      }
      return next;
    });
  };
  bool mayHaveBlocks = pass.isOneColumn && mayBeLong(plan.dims[dim].extent);
  const RowTeam *team = pass.team;
  Value begin = team ? team->getBegin() : loops.getConstant(0);
  auto clip = [&](Value end) {
    return team ? team->clip(builder, loc, end) : end;
  };
  if (hasMain(shape)) {
    Value end = clip(loops.getMultiple(dim, step));
    if (!accumulators.empty() && mayHaveBlocks)
      main = emitBlockSums(builder, loc, loops, begin, end, main, rest,
                           emitMain, pass.sums);
    else
      main = emitMain(begin, end, main);
  }
  // Where the rest starts that ends at `end`.
  auto getRest = [&](Value start, Value end) {
    return team ? team->ifLast(builder, loc, start, end) : start;
  };
  auto emitSingles = [&](Value from, Value to, ValueRange inits) {
    return emitLoop(dim, from, to, shape.unit, inits,
                    [&](Value iv, ValueRange args) {
                      if (pass.begin)
                        pass.begin(iv, shape.unit);
                      return computeStrips(pass, iv, shape.unit, args);
                    });
  };
  // Where masks cost nothing.
  bool mergesRest = shape.mergesRest && options.isX86 &&
                    options.vectorBytes == 64 && loops.isDynamic(dim) &&
                    step > shape.unit;
  if (!mergesRest && hasSingles(shape)) {
    Value end = loops.getMultiple(dim, shape.unit);
    if (step > shape.unit)
      rest = emitSingles(getRest(loops.getMultiple(dim, step), end), end, rest);
    else
      rest = emitSingles(begin, clip(end), rest);
  }
  if (loops.hasTail(dim, shape.unit) && shape.isPaired)
    for (unsigned parity : {0, 1})
      loops.getTailMaskOfHalf(dim, shape.unit, parity);
  if (mergesRest)
    rest = loops.emitRest(
        dim, getRest(loops.getMultiple(dim, step), loops.getExtent(dim)),
        shape.unit, rest, [&](Value from, Value isTail, ValueRange args) {
          return computeStrips(pass, from, shape.unit, args, [&](Value mask) {
            return loops.emitMaskIf(isTail, mask);
          });
        });
  else
    rest = loops.emitTail(
        dim, shape.unit, rest,
        [&](Value from, Value) {
          return computeStrips(pass, from, shape.unit, rest,
                               [](Value mask) { return mask; });
        },
        team ? team->isLast() : Value());
  llvm::append_range(main, rest);
  return main;
}
