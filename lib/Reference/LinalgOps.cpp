//===- LinalgOps.cpp - Structured ops and softmax -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

namespace {
/// How a structured op reaches an operand.
struct Access {
  /// A scalar operand has none.
  std::optional<Array> array;
  Number scalar;
  AffineMap map;
  /// The step of the storage index for each loop, when the map is linear.
  bool linear = true;
  int64_t base = 0;
  SmallVector<int64_t> steps;

  std::optional<int64_t> position(ArrayRef<int64_t> loops) const {
    if (linear) {
      int64_t result = base;
      for (auto [loop, step] : llvm::zip_equal(loops, steps))
        result += loop * step;
      return result;
    }
    int64_t result = array->offset;
    for (auto [dim, expression] : llvm::enumerate(map.getResults())) {
      std::optional<int64_t> index = evaluateAffine(expression, loops, {});
      if (!index || *index < 0 || *index >= array->shape[dim])
        return std::nullopt;
      result += *index * array->strides[dim];
    }
    return result;
  }
};

/// The sum that a reduction adds up, as the bounds want it.
struct RunningSum {
  long double value = 0, hard = 0, narrow = 0;
  bool isPositive = true;
  ContractionSums sums;
  int64_t terms = 0;

  void add(const Number &term) {
    value += term.value;
    hard += term.hard;
    narrow += term.narrow;
    isPositive &= term.value >= 0;
    sums.magnitude += std::fabs(term.value);
    sums.softSquares += term.soft * term.soft;
    sums.softCommon += term.value < 0 ? -term.soft : term.soft;
    terms += term.value != 0 || !term.isExact();
  }
  void addExact(long double term) {
    value += term;
    isPositive &= term >= 0;
    sums.magnitude += std::fabs(term);
    terms += term != 0;
  }
  Number finish(const FloatFormat &format) const {
    long double error;
    if (terms <= 1)
      error = std::fabs(sums.softCommon);
    else if (format.precision < 24)
      // Every partial sum is rounded to storage: no order can be told from
      // another, so the worst one counts.
      error = terms * format.unitRoundoff() * sums.magnitude +
              std::fabs(sums.softCommon) + std::sqrt(sums.softSquares);
    else
      error = contractionError(format, 0, terms, sums);
    Number result = normalized({value, hard, error, isPositive ? narrow : 0});
    // A partial sum may overflow although the sum does not.
    if (terms > 1 && std::isfinite(value) && !result.isUnconstrained() &&
        sums.magnitude >= format.largest() &&
        std::fabs(value) - result.error() < format.overflowThreshold())
      return Number::unconstrained(value);
    return result;
  }
};

/// An operand of a product, settled once.
struct Factor {
  const Access *access;
  const Storage *storage;
  std::vector<Number> numbers;
  bool exact = true;

  explicit Factor(const Access &access)
      : access(&access), storage(access.array->storage.get()) {
    if (storage->isBorrowed())
      return;
    numbers.resize(storage->getSize());
    for (int64_t i = 0; i < storage->getSize(); ++i) {
      numbers[i] = storage->read(storage->getFirst() + i);
      exact &= numbers[i].isExact();
    }
  }
  long double value(int64_t position) const {
    return numbers.empty()
               ? readElement(storage->getKind(), storage->getData(), position)
               : numbers[position - storage->getFirst()].value;
  }
  Number read(int64_t position) const {
    return numbers.empty() ? storage->get(position)
                           : numbers[position - storage->getFirst()];
  }
};

/// A structured op being run.
class StructuredRun {
public:
  StructuredRun(Interpreter &interpreter, linalg::LinalgOp op)
      : interpreter(interpreter), op(op), numInputs(op.getNumDpsInputs()),
        numOutputs(op.getNumDpsInits()) {}

  LogicalResult run();

private:
  LogicalResult readOperands();
  LogicalResult findExtents();
  LogicalResult makeLinear(Access &access);
  LogicalResult makeResults();
  /// An op that only moves elements is a view of its input.
  bool runAsView();
  /// A sum of products over two inputs, which may be large.
  bool runAsContraction();
  LogicalResult runPoints();
  LogicalResult preparePoints();
  LogicalResult runReduction(MutableArrayRef<int64_t> loops);
  /// The other operand of the addition to output `index`, if that is what the
  /// body does with it.
  Value getAddend(unsigned index);
  Access &output(unsigned index) { return accesses[numInputs + index]; }
  void setLoops(MutableArrayRef<int64_t> loops, ArrayRef<unsigned> dims,
                ArrayRef<int64_t> values) {
    for (auto [dim, value] : llvm::zip_equal(dims, values))
      loops[dim] = value;
  }

  /// What happens to one output at every point.
  struct Output {
    Access target;
    std::optional<FloatFormat> format;
    /// The slots of what the body yields, and of what it adds to the output if
    /// that is all it does with it.
    unsigned yielded = 0;
    std::optional<unsigned> addend;
    RunningSum sum;
    Number current;
  };

  Interpreter &interpreter;
  linalg::LinalgOp op;
  const unsigned numInputs, numOutputs;
  std::vector<Access> accesses;
  std::vector<Output> outputs;
  SmallVector<int64_t> extents;
  SmallVector<unsigned> parallel, reduction;
  SmallVector<int64_t> parallelExtents, reductionExtents;
  SmallVector<Array> results;
  ScalarProgram program;
};
} // namespace

LogicalResult StructuredRun::readOperands() {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps.size() != op->getNumOperands())
    return op.emitOpError("expected an indexing map for every operand");
  for (auto [operand, map] : llvm::zip_equal(op->getOperands(), maps)) {
    FailureOr<RuntimeValue> value = interpreter.lookup(op, operand);
    if (failed(value))
      return failure();
    Access access;
    access.map = map;
    access.array = value->array;
    if (!access.array) {
      FailureOr<Number> number = interpreter.number(op, operand);
      if (failed(number))
        return failure();
      access.scalar = *number;
    } else if (map.getNumResults() != access.array->shape.size()) {
      return op.emitOpError("expected maps of the operands' ranks");
    }
    accesses.push_back(std::move(access));
  }
  return success();
}

LogicalResult StructuredRun::findExtents() {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  extents.assign(iterators.size(), -1);
  for (const Access &access : accesses) {
    if (!access.array)
      continue;
    for (auto [dim, expression] : llvm::enumerate(access.map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      if (!loop)
        continue;
      int64_t &extent = extents[loop.getPosition()];
      const int64_t size = access.array->shape[dim];
      if (extent >= 0 && extent != size)
        return op.emitOpError("has operands that disagree on the extent of "
                              "loop ")
               << loop.getPosition() << ": " << extent << " and " << size;
      extent = size;
    }
  }
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    if (extents[loop] < 0)
      return op.emitOpError("does not tell the reference the extent of loop ")
             << loop;
    const bool isParallel = iterator == utils::IteratorType::parallel;
    (isParallel ? parallel : reduction).push_back(loop);
    (isParallel ? parallelExtents : reductionExtents).push_back(extents[loop]);
  }
  return success();
}

LogicalResult StructuredRun::makeLinear(Access &access) {
  if (!access.array)
    return success();
  const SmallVector<int64_t> zero(extents.size(), 0);
  const bool empty = countElements(extents) == 0;
  access.base = access.array->offset;
  access.steps.assign(extents.size(), 0);
  for (auto [dim, expression] : llvm::enumerate(access.map.getResults())) {
    bool divides = false;
    expression.walk([&](AffineExpr inner) {
      divides |= inner.getKind() == AffineExprKind::Mod ||
                 inner.getKind() == AffineExprKind::FloorDiv ||
                 inner.getKind() == AffineExprKind::CeilDiv;
    });
    std::optional<int64_t> start = evaluateAffine(expression, zero, {});
    if (divides || !start) {
      access.linear = false;
      return success();
    }
    const int64_t stride = access.array->strides[dim];
    int64_t least = *start, greatest = *start;
    access.base += *start * stride;
    for (size_t loop = 0; loop < extents.size(); ++loop) {
      SmallVector<int64_t> unit = zero;
      unit[loop] = 1;
      const int64_t step =
          evaluateAffine(expression, unit, {}).value_or(*start) - *start;
      access.steps[loop] += step * stride;
      int64_t &end = step < 0 ? least : greatest;
      end += step * (extents[loop] - 1);
    }
    if (!empty && (least < 0 || greatest >= access.array->shape[dim]))
      return op.emitOpError("reaches outside of dim ")
             << dim << " of an operand: " << least << " to " << greatest
             << " of " << access.array->shape[dim];
  }
  return success();
}

LogicalResult StructuredRun::makeResults() {
  for (int64_t index = 0; index < op.getNumDpsInits(); ++index) {
    Access &access = output(index);
    if (!access.array)
      return op.emitOpError("expected an array for a destination");
    for (unsigned loop : reduction)
      if (access.map.isFunctionOfDim(loop))
        return op.emitOpError("has a destination that varies over a reduction "
                              "loop, which the reference does not support");
    FailureOr<Array> result =
        interpreter.create(op, access.array->elementType, access.array->shape);
    if (failed(result))
      return failure();
    if (!access.map.isPermutation())
      copyElements(*access.array, *result);
    results.push_back(*result);
  }
  return success();
}

Value StructuredRun::getAddend(unsigned index) {
  Block *body = op.getBlock();
  BlockArgument argument = op.getRegionOutputArgs()[index];
  auto addition =
      body->getTerminator()->getOperand(index).getDefiningOp<arith::AddFOp>();
  if (!addition || addition->getBlock() != body || !argument.hasOneUse() ||
      reduction.empty() || !addition->hasOneUse())
    return nullptr;
  if (addition.getLhs() == argument)
    return addition.getRhs();
  if (addition.getRhs() == argument)
    return addition.getLhs();
  return nullptr;
}

bool StructuredRun::runAsView() {
  Block *body = op.getBlock();
  if (op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      !reduction.empty() || !output(0).map.isIdentity())
    return false;
  auto argument = dyn_cast<BlockArgument>(body->getTerminator()->getOperand(0));
  if (!argument || argument.getOwner() != body ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return false;
  const Access &input = accesses[argument.getArgNumber()];
  if (!input.array || !input.linear ||
      input.array->elementType != output(0).array->elementType)
    return false;
  Array view = *input.array;
  view.offset = input.base;
  view.shape = extents;
  view.strides = input.steps;
  interpreter.bind(op->getResult(0), view);
  return true;
}

bool StructuredRun::runAsContraction() {
  Block *body = op.getBlock();
  Value addend = op.getNumDpsInits() == 1 ? getAddend(0) : Value();
  auto product = addend ? addend.getDefiningOp<arith::MulFOp>() : nullptr;
  std::optional<FloatFormat> format =
      product ? getFloatFormat(product.getType()) : std::nullopt;
  if (!format || format->precision < 24 || product->getBlock() != body)
    return false;
  // The factors are inputs, perhaps widened; there is nothing else in the body.
  auto getInput = [&](Value factor) -> const Access * {
    if (auto extension = factor.getDefiningOp<arith::ExtFOp>())
      factor = extension.getIn();
    auto argument = dyn_cast<BlockArgument>(factor);
    if (!argument || argument.getOwner() != body ||
        argument.getArgNumber() >= op.getNumDpsInputs())
      return nullptr;
    const Access &access = accesses[argument.getArgNumber()];
    return access.array && access.linear ? &access : nullptr;
  };
  const Access *left = getInput(product.getLhs());
  const Access *right = getInput(product.getRhs());
  constexpr int64_t maxTerms = int64_t(1) << 24;
  const int64_t terms = countElements(reductionExtents);
  if (!left || !right || !output(0).linear || terms < 0 || terms > maxTerms)
    return false;

  Factor a(*left), b(*right);
  std::vector<int64_t> stepsA, stepsB;
  SmallVector<int64_t> loops(extents.size(), 0);
  auto collect = [&](ArrayRef<int64_t> indices) {
    setLoops(loops, reduction, indices);
    stepsA.push_back(*left->position(loops) - left->base);
    stepsB.push_back(*right->position(loops) - right->base);
    return success();
  };
  (void)forEachIndex(reductionExtents, collect);
  llvm::fill(loops, 0);
  Access target = output(0);
  target.array = results[0];
  if (failed(makeLinear(target)))
    return false;
  auto runPoint = [&](ArrayRef<int64_t> indices) {
    setLoops(loops, parallel, indices);
    RunningSum sum;
    sum.add(output(0).array->read(*output(0).position(loops)));
    const int64_t startA = *left->position(loops),
                  startB = *right->position(loops);
    if (a.exact && b.exact) {
      for (int64_t k = 0; k < terms; ++k)
        sum.addExact(a.value(startA + stepsA[k]) * b.value(startB + stepsB[k]));
    } else {
      for (int64_t k = 0; k < terms; ++k)
        sum.add(
            multiply(a.read(startA + stepsA[k]), b.read(startB + stepsB[k])));
    }
    results[0].set(*target.position(loops), sum.finish(*format));
    return success();
  };
  (void)forEachIndex(parallelExtents, runPoint);
  return true;
}

LogicalResult StructuredRun::preparePoints() {
  if (failed(program.compile(interpreter, *op.getBlock())))
    return failure();
  Operation *terminator = op.getBlock()->getTerminator();
  for (unsigned i = 0; i < numOutputs; ++i) {
    Output out;
    out.target = output(i);
    out.target.array = results[i];
    if (failed(makeLinear(out.target)))
      return failure();
    out.format = getFloatFormat(results[i].elementType);
    out.yielded = *program.getSlot(terminator->getOperand(i));
    Value addend = out.format ? getAddend(i) : Value();
    if (addend)
      out.addend = program.getSlot(addend);
    outputs.push_back(std::move(out));
  }
  return success();
}

LogicalResult StructuredRun::runReduction(MutableArrayRef<int64_t> loops) {
  auto outOfBounds = [&]() {
    return op.emitOpError("reaches outside of an operand");
  };
  for (auto [i, out] : llvm::enumerate(outputs)) {
    std::optional<int64_t> position = output(i).position(loops);
    if (!position)
      return outOfBounds();
    out.current = output(i).array->get(*position);
    out.sum = RunningSum();
    if (out.addend)
      out.sum.add(output(i).array->read(*position));
  }
  auto runPoint = [&](ArrayRef<int64_t> indices) -> LogicalResult {
    setLoops(loops, reduction, indices);
    program.setIndices(loops);
    for (unsigned i = 0; i < numInputs; ++i) {
      const Access &access = accesses[i];
      if (!access.array) {
        program.setArgument(i, access.scalar);
        continue;
      }
      std::optional<int64_t> position = access.position(loops);
      if (!position)
        return outOfBounds();
      program.setArgument(i, access.array->read(*position));
    }
    for (auto [i, out] : llvm::enumerate(outputs))
      program.setArgument(numInputs + i, out.format && !out.addend
                                             ? settle(*out.format, out.current)
                                             : out.current);
    if (!program.run())
      return op.emitOpError("has a body that reads out of bounds or at an "
                            "index that is not certain");
    for (Output &out : outputs) {
      if (out.addend)
        out.sum.add(program.getSettled(*out.addend));
      else
        out.current = program.getPending(out.yielded);
    }
    return success();
  };
  if (failed(forEachIndex(reductionExtents, runPoint)))
    return failure();
  for (auto [out, result] : llvm::zip_equal(outputs, results)) {
    std::optional<int64_t> position = out.target.position(loops);
    if (!position)
      return outOfBounds();
    result.set(*position,
               out.addend ? out.sum.finish(*out.format) : out.current);
  }
  return success();
}

LogicalResult StructuredRun::runPoints() {
  if (failed(preparePoints()))
    return failure();
  SmallVector<int64_t> loops(extents.size(), 0);
  return forEachIndex(parallelExtents,
                      [&](ArrayRef<int64_t> indices) -> LogicalResult {
                        setLoops(loops, parallel, indices);
                        return runReduction(loops);
                      });
}

LogicalResult StructuredRun::run() {
  Block *body = op.getBlock();
  if (!body || body->getNumArguments() != op->getNumOperands() ||
      body->getTerminator()->getNumOperands() !=
          static_cast<unsigned>(op.getNumDpsInits()))
    return op.emitOpError("has a body that the reference cannot run");
  if (failed(readOperands()) || failed(findExtents()))
    return failure();
  for (Access &access : accesses)
    if (failed(makeLinear(access)))
      return failure();
  if (runAsView())
    return success();
  if (failed(makeResults()))
    return failure();
  if (!runAsContraction() && failed(runPoints()))
    return failure();
  for (auto [index, result] : llvm::enumerate(results))
    if (failed(interpreter.deliver(
            cast<DestinationStyleOpInterface>(op.getOperation()), index,
            result)))
      return failure();
  return success();
}

LogicalResult mlir::xfmr::reference::runStructuredOp(Interpreter &interpreter,
                                                     Operation *op) {
  return StructuredRun(interpreter, cast<linalg::LinalgOp>(op)).run();
}

/// exp(x - max) / sum. A relative error of exp is that of its argument, which
/// is rounded to the type: hence |x - max| u; exp, sum and quotient add theirs.
static LogicalResult runSoftmax(Interpreter &interpreter, Operation *op) {
  auto softmax = cast<linalg::SoftmaxOp>(op);
  FailureOr<Array> x = interpreter.array(op, softmax.getInput());
  if (failed(x))
    return failure();
  std::optional<FloatFormat> format = getFloatFormat(x->elementType);
  const auto dim = static_cast<int64_t>(softmax.getDimension());
  if (!format || dim >= x->rank())
    return op->emitOpError("has no meaning for its input");
  FailureOr<Array> result = interpreter.create(op, x->elementType, x->shape);
  if (failed(result))
    return failure();
  SmallVector<int64_t> rows = x->shape;
  const int64_t count = rows[dim];
  rows[dim] = std::min<int64_t>(count, 1);
  const long double u = format->unitRoundoff();
  const bool isNarrow = interpreter.isRelaxed() && format->precision == 24;
  auto runRow = [&](ArrayRef<int64_t> indices) {
    const int64_t from = x->at(indices), to = result->at(indices);
    std::vector<Number> row(count);
    long double greatest = -HUGE_VALL, sum = 0, spread = 0;
    for (int64_t i = 0; i < count; ++i) {
      row[i] = x->read(from + i * x->strides[dim]);
      greatest = std::isnan(row[i].value) ? row[i].value
                                          : std::fmax(greatest, row[i].value);
      if (std::isnan(greatest))
        break;
      spread = std::fmax(spread, row[i].error());
    }
    for (const Number &number : row)
      sum += std::exp(number.value - greatest);
    for (int64_t i = 0; i < count; ++i) {
      long double distance = row[i].value - greatest;
      long double y = std::exp(distance) / sum;
      // With every input off by the spread, y changes by twice that at most.
      long double error =
          y == 0 ? 0
                 : y * (std::expm1(2 * spread) +
                        u * (8 + std::sqrt(static_cast<long double>(count)) +
                             2 * std::fabs(distance)));
      result->set(to + i * result->strides[dim],
                  normalized({y, 0, error + format->smallest(),
                              isNarrow ? y * kNarrowError : 0}));
    }
    return success();
  };
  (void)forEachIndex(rows, runRow);
  return interpreter.deliver(cast<DestinationStyleOpInterface>(op), 0, *result);
}

void mlir::xfmr::reference::addLinalgHandlers(HandlerTable &table) {
  table["linalg.softmax"] = runSoftmax;
}
