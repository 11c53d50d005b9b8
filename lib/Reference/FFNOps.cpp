//===- FFNOps.cpp - Feed-forward networks and gates -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activation.h"
#include "Bounds.h"
#include "Contraction.h"
#include "Interpreter.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::reference;

namespace {
/// A number in the accumulator: `own` is the error that the accumulator made,
/// apart from those that came with the inputs.
struct Accumulator {
  Number number;
  long double own = 0;

  Number all() const {
    return normalized({number.value, number.hard, number.soft + own});
  }
};

/// A bias as a network reads it; all zero when absent.
struct BiasView {
  std::optional<Array> array;
  int64_t offset = 0, stride = 0;

  Number operator[](int64_t index) const {
    return array ? array->read(offset + index * stride) : Number();
  }
};

/// A network's weights and biases, gate and up taken apart.
struct Network {
  bool gated = false;
  int64_t d = 0, hiddenSize = 0, outputs = 0;
  WeightView gate, up, down;
  BiasView gateBias, upBias, downBias;
  FloatFormat acc, hidden;
  std::optional<Activation> activation;
};
} // namespace

/// f of a number, where the spread of f goes to its parts in proportion.
template <typename Function>
static Accumulator applyToAccumulator(const Accumulator &z,
                                      Function &&function) {
  Number all = applyFunction(z.all(), function);
  long double error = z.all().error();
  Accumulator result{all, 0};
  if (all.isUnconstrained() || error == 0)
    return result;
  result.own = all.error() * (z.own / error);
  result.number.soft = all.error() * (z.number.soft / error);
  result.number.hard = all.error() * (z.number.hard / error);
  return result;
}

/// What becomes of the accumulators: `act(gate) * up`, or `act(up)` when there
/// is no gate.
static Accumulator activate(const Activation &activation,
                            const FloatFormat &acc, const Accumulator &gate,
                            const Accumulator *up) {
  Accumulator act = applyToAccumulator(gate, activation);
  if (std::isfinite(act.number.value))
    act.own += activationError(acc, activation.kind, act.number.value);
  if (!up)
    return act;
  Accumulator factor{activation.transformUp(up->number), up->own};
  Accumulator result;
  result.number = multiply(act.number, factor.number);
  if (std::isfinite(result.number.value))
    result.own = scaleRadius(act.number.value, factor.own) +
                 scaleRadius(factor.number.value, act.own) +
                 act.own * factor.own + act.own * factor.number.error() +
                 factor.own * act.number.error() +
                 acc.unitRoundoff() * std::fabs(result.number.value) +
                 (result.number.value == 0 ? 0 : acc.smallest() / 2);
  return result;
}

/// Adds the bias to a product and says what the accumulator's error is.
static Accumulator finishProduct(const FloatFormat &acc, int64_t terms,
                                 const Product &product, const Number &bias) {
  Accumulator z;
  z.number = {product.value + bias.value, product.hard + bias.hard,
              std::sqrt(product.sums.softSquares) +
                  std::fabs(product.sums.softCommon) + bias.soft};
  z.own = accumulatorError(acc, terms, z.number.value, product.sums);
  // Partial sums beyond the range make the class depend on their order.
  if (std::isfinite(z.number.value) && !z.number.isUnconstrained() &&
      std::sqrt(product.sums.walk) >= acc.largest() &&
      std::fabs(z.number.value) < acc.largest())
    z.number = Number::unconstrained(z.number.value);
  Number bounded = overflowed(acc, z.all());
  if (bounded.isUnconstrained() || !std::isfinite(bounded.value))
    return {bounded, 0};
  z.number = normalized(z.number);
  return z;
}

/// One element of the result, before its last rounding.
static Number finishResult(const Network &network, const Product &product,
                           const Number &bias) {
  ContractionSums sums = product.sums;
  sums.magnitude += std::fabs(bias.value);
  Number y =
      normalized({product.value + bias.value, product.hard + bias.hard,
                  bias.soft + contractionError(network.acc, network.d,
                                               network.hiddenSize, sums)});
  if (std::isfinite(y.value) && !y.isUnconstrained() &&
      sums.magnitude >= network.acc.largest() &&
      std::fabs(y.value) - y.error() < network.acc.overflowThreshold())
    return Number::unconstrained(y.value);
  return overflowed(network.acc, y);
}

template <typename Real>
static void runRows(const Network &network, const Array &x, Array &result) {
  // Enough rows to make one reading of the weights worth while.
  constexpr int64_t rowBlock = 64;
  std::vector<int64_t> rowOffsets = x.offsets(0, x.rank() - 1);
  std::vector<int64_t> inner = x.offsets(x.rank() - 1, x.rank());
  const auto rows = static_cast<int64_t>(rowOffsets.size());
  const bool narrow = network.hidden.precision < network.acc.precision;
  Rows<Real> input, hidden;
  std::vector<Product> gates, ups, products;
  for (int64_t first = 0; first < rows; first += rowBlock) {
    const int64_t count = std::min(rowBlock, rows - first);
    input.resize(count, network.d);
    for (int64_t row = 0; row < count; ++row)
      for (int64_t j = 0; j < network.d; ++j)
        input.set(row, j, x.read(x.offset + rowOffsets[first + row] + inner[j]),
                  0);
    contract(input, network.up, ups);
    if (network.gated)
      contract(input, network.gate, gates);
    hidden.resize(count, network.hiddenSize);
    for (int64_t row = 0; row < count; ++row) {
      for (int64_t k = 0; k < network.hiddenSize; ++k) {
        const int64_t place = row * network.hiddenSize + k;
        Accumulator up = finishProduct(network.acc, network.d, ups[place],
                                       network.upBias[k]);
        Accumulator h = up;
        if (network.gated)
          h = activate(*network.activation, network.acc,
                       finishProduct(network.acc, network.d, gates[place],
                                     network.gateBias[k]),
                       &up);
        else
          h = activate(*network.activation, network.acc, up, nullptr);
        if (narrow)
          hidden.set(row, k, roundWithin(network.hidden, h.all()), 0);
        else if (Number bounded = overflowed(network.acc, h.all());
                 bounded.isUnconstrained() || !std::isfinite(bounded.value))
          hidden.set(row, k, bounded, 0);
        else
          hidden.set(row, k, h.number, h.own);
      }
    }
    contract(hidden, network.down, products);
    for (int64_t row = 0; row < count; ++row)
      for (int64_t n = 0; n < network.outputs; ++n)
        result.set((first + row) * network.outputs + n,
                   finishResult(network, products[row * network.outputs + n],
                                network.downBias[n]));
  }
}

/// A weight of the layout; `half` and `step` pick the gate or up of a packed
/// one: outputs half * d_ff.., or every other one from `half`.
static WeightView viewWeight(const Array &array, WeightLayout layout) {
  const bool inOut = layout == WeightLayout::InOut;
  WeightView view;
  view.storage = array.storage.get();
  view.offset = array.offset;
  view.inputStride = array.strides[inOut ? 0 : 1];
  view.outputStride = array.strides[inOut ? 1 : 0];
  view.inputs = array.shape[inOut ? 0 : 1];
  view.outputs = array.shape[inOut ? 1 : 0];
  return view;
}

/// Where gate (or else up) is in a packed dim of twice the size: the first
/// index and the distance between two.
static std::pair<int64_t, int64_t> getHalf(GateUpOrder order, bool gate,
                                           int64_t size) {
  switch (order) {
  case GateUpOrder::GateUp:
    return {gate ? 0 : size, 1};
  case GateUpOrder::UpGate:
    return {gate ? size : 0, 1};
  case GateUpOrder::Interleaved:
    return {gate ? 0 : 1, 2};
  }
  return {0, 1};
}

static WeightView takeHalf(WeightView packed, GateUpOrder order, bool gate) {
  packed.outputs /= 2;
  auto [first, step] = getHalf(order, gate, packed.outputs);
  packed.offset += first * packed.outputStride;
  packed.outputStride *= step;
  return packed;
}

namespace {
/// Reads a network's operands; arrays are kept alive as long as it.
class NetworkReader {
public:
  NetworkReader(Interpreter &interpreter, Operation *op)
      : interpreter(interpreter), op(op) {}

  LogicalResult read(const FFNSpec &spec, const FloatFormat &data,
                     Network &network);

private:
  LogicalResult readWeight(Value value, WeightLayout layout, StringRef name,
                           int64_t inputs, WeightView &view) {
    FailureOr<Array> array = interpreter.array(op, value);
    if (failed(array))
      return failure();
    if (array->rank() != 2)
      return op->emitOpError("expected ") << name << " of rank 2";
    arrays.push_back(*array);
    view = viewWeight(*array, layout);
    if (view.inputs != inputs)
      return op->emitOpError("expected ")
             << name << " with " << inputs << " inputs, got " << view.inputs;
    return success();
  }
  LogicalResult readBias(Value value, int64_t size, StringRef name,
                         BiasView &view) {
    if (!value)
      return success();
    FailureOr<Array> array = interpreter.array(op, value);
    if (failed(array) ||
        failed(interpreter.expectShape(op, *array, {size}, name)))
      return failure();
    view = {*array, array->offset, array->strides[0]};
    return success();
  }

  Interpreter &interpreter;
  Operation *op;
  std::vector<Array> arrays;
};
} // namespace

LogicalResult NetworkReader::read(const FFNSpec &spec, const FloatFormat &data,
                                  Network &network) {
  network.gated = spec.gated;
  network.acc = getAccumulatorFormat(data);
  network.hidden =
      spec.hiddenType ? getFloatFormat(spec.hiddenType).value_or(data) : data;
  network.activation.emplace(spec.activation, network.acc);
  if (spec.gateUp) {
    WeightView packed;
    if (!spec.order || failed(readWeight(spec.gateUp, spec.gateLayout,
                                         "gate_up", network.d, packed)))
      return failure();
    if (packed.outputs % 2 != 0)
      return op->emitOpError("expected gate_up with an even number of outputs, "
                             "got ")
             << packed.outputs;
    network.gate = takeHalf(packed, *spec.order, /*gate=*/true);
    network.up = takeHalf(packed, *spec.order, /*gate=*/false);
    BiasView bias;
    if (failed(readBias(spec.gateUpBias, packed.outputs, "gate_up_bias", bias)))
      return failure();
    for (bool gate : {true, false}) {
      auto [first, step] = getHalf(*spec.order, gate, packed.outputs / 2);
      (gate ? network.gateBias : network.upBias) = {
          bias.array, bias.offset + first * bias.stride, bias.stride * step};
    }
  } else {
    if (failed(readWeight(spec.up, spec.upLayout, "up", network.d, network.up)))
      return failure();
    if (network.gated && failed(readWeight(spec.gate, spec.gateLayout, "gate",
                                           network.d, network.gate)))
      return failure();
    if (network.gated && network.gate.outputs != network.up.outputs)
      return op->emitOpError("expected gate and up with as many outputs, got ")
             << network.gate.outputs << " and " << network.up.outputs;
    if (failed(readBias(spec.gateBias, network.up.outputs, "gate_bias",
                        network.gateBias)) ||
        failed(readBias(spec.upBias, network.up.outputs, "up_bias",
                        network.upBias)))
      return failure();
  }
  network.hiddenSize = network.up.outputs;
  if (failed(readWeight(spec.down, spec.downLayout, "down", network.hiddenSize,
                        network.down)))
    return failure();
  network.outputs = network.down.outputs;
  return readBias(spec.downBias, network.outputs, "down_bias",
                  network.downBias);
}

static LogicalResult runNetwork(Interpreter &interpreter, Operation *op) {
  FFNSpec spec =
      TypeSwitch<Operation *, FFNSpec>(op).Case<FFNOp, GLUFFNOp, SwiGLUFFNOp>(
          [](auto network) { return network.getFFNSpec(); });
  FailureOr<Array> x = interpreter.array(op, spec.input);
  FailureOr<Array> init = interpreter.array(op, spec.init);
  if (failed(x) || failed(init))
    return failure();
  std::optional<FloatFormat> data = getFloatFormat(x->elementType);
  if (!data || x->rank() == 0)
    return op->emitOpError("has no meaning for its input");
  Network network;
  network.d = x->shape.back();
  NetworkReader reader(interpreter, op);
  if (failed(reader.read(spec, *data, network)))
    return failure();

  SmallVector<int64_t> shape = x->shape;
  shape.back() = network.outputs;
  if (failed(interpreter.expectShape(op, *init, shape, "the destination")))
    return failure();
  FailureOr<Array> result = interpreter.create(op, init->elementType, shape);
  if (failed(result))
    return failure();
  if (network.acc.precision > 24)
    runRows<long double>(network, *x, *result);
  else
    runRows<double>(network, *x, *result);
  return interpreter.deliver(cast<DestinationStyleOpInterface>(op), 0, *result);
}

static LogicalResult runGatedAct(Interpreter &interpreter, Operation *op) {
  auto gated = cast<GatedActOp>(op);
  const bool packed = static_cast<bool>(gated.getGateUp());
  FailureOr<Array> gate =
      interpreter.array(op, packed ? gated.getGateUp() : gated.getGate());
  FailureOr<Array> init = interpreter.array(op, gated.getInit());
  if (failed(gate) || failed(init))
    return failure();
  FailureOr<Array> up = *gate;
  if (!packed)
    up = interpreter.array(op, gated.getUp());
  std::optional<FloatFormat> data = getFloatFormat(gate->elementType);
  std::optional<FloatFormat> format = getFloatFormat(init->elementType);
  if (failed(up) || !data || !format || gate->rank() == 0)
    return op->emitOpError("has no meaning for its inputs");
  if (packed) {
    if (!gated.getOrder() || gate->shape.back() % 2 != 0)
      return op->emitOpError("expected an even last dim of gate_up, got ")
             << gate->shape.back();
    for (bool isGate : {true, false}) {
      Array &half = isGate ? *gate : *up;
      half.shape.back() /= 2;
      auto [first, step] =
          getHalf(*gated.getOrder(), isGate, half.shape.back());
      half.offset += first * half.strides.back();
      half.strides.back() *= step;
    }
  }
  if (failed(interpreter.expectShape(op, *up, gate->shape, "up")) ||
      failed(
          interpreter.expectShape(op, *init, gate->shape, "the destination")))
    return failure();
  FailureOr<Array> result =
      interpreter.create(op, init->elementType, gate->shape);
  if (failed(result))
    return failure();

  const FloatFormat acc = getAccumulatorFormat(*data);
  const Activation activation(gated.getActivation(), acc);
  std::vector<int64_t> gates = gate->offsets(), ups = up->offsets();
  for (size_t i = 0; i < gates.size(); ++i) {
    Accumulator g{gate->read(gate->offset + gates[i]), 0};
    Accumulator u{up->read(up->offset + ups[i]), 0};
    Accumulator y = activate(activation, acc, g, &u);
    if (!std::isfinite(y.number.value) || y.number.isUnconstrained()) {
      result->set(i, y.number);
      continue;
    }
    // A rounding of the product in acc is the last one when the result has that
    // type; to half types 0.51 ulp are enough.
    const long double rounding = acc.unitRoundoff() * std::fabs(y.number.value);
    if (*format == acc)
      y.own -= std::fmin(rounding, y.own);
    else if (format->precision < 24)
      y.own = std::fmax(y.own, 0.01L * ulp(*format, y.number.value));
    result->set(i, overflowed(acc, y.all()));
  }
  return interpreter.deliver(cast<DestinationStyleOpInterface>(op), 0, *result);
}

void mlir::xfmr::reference::addFFNHandlers(HandlerTable &table) {
  static constexpr char network[] =
      "1/2 ulp(y) + (4 + sqrt d + sqrt d_ff) u (sum |h w| + |bias|), and |w| "
      "times the difference where a hidden value is within its error of a "
      "rounding boundary";
  static constexpr char gate[] =
      "1/2 ulp(y) + |up| (4 ulp(act) in acc; 1 for sigmoid and tanh; absolute "
      "2^-100 where |act| < 2^-100) + u |y|; at least 0.51 ulp(y) for f16 and "
      "bf16";
  table["xfmr.ffn"] = {runNetwork, network};
  table["xfmr.glu_ffn"] = {runNetwork, network};
  table["xfmr.swiglu_ffn"] = {runNetwork, network};
  table["xfmr.gated_act"] = {runGatedAct, gate};
}
