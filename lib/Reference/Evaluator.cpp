//===- Evaluator.cpp - Entry to the evaluator -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Reference/Evaluator.h"
#include "Interpreter.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

ArrayView ArrayView::rowMajor(void *data, Type elementType,
                              ArrayRef<int64_t> shape) {
  return {data, elementType, SmallVector<int64_t>(shape),
          rowMajorStrides(shape)};
}

namespace {
/// The elements of an argument: `first` to `last` from its data, in elements.
struct Extent {
  int64_t first = 0, last = -1;

  explicit Extent(const ArrayView &view) {
    if (countElements(view.shape) == 0)
      return;
    last = 0;
    for (auto [size, stride] : llvm::zip_equal(view.shape, view.strides))
      (stride < 0 ? first : last) += stride * (size - 1);
  }
  int64_t size() const { return last - first + 1; }
};

/// Makes the arguments known to the interpreter.
class ArgumentReader {
public:
  ArgumentReader(func::FuncOp function, ArrayRef<ArrayView> views)
      : function(function), views(views) {}

  LogicalResult read(SmallVectorImpl<RuntimeValue> &values);

private:
  LogicalResult check(unsigned number);
  Array makeArray(unsigned number);
  /// Lets a memref share the storage of an earlier one that it overlaps.
  LogicalResult share(unsigned number, Array &array);

  func::FuncOp function;
  ArrayRef<ArrayView> views;
  SmallVector<Array> memrefs;
};
} // namespace

LogicalResult ArgumentReader::check(unsigned number) {
  Type type = function.getArgumentTypes()[number];
  const ArrayView &view = views[number];
  auto error = [&]() {
    return function.emitError("argument ")
           << number << " of type " << type << ": ";
  };
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !isa<RankedTensorType, MemRefType>(shaped))
    return error() << "expected a ranked tensor or memref, or a scalar";
  if (getElementTypeOrSelf(type) != view.elementType)
    return error() << "got elements of type " << view.elementType;
  if (!getElementKind(view.elementType))
    return error() << "the reference cannot read such elements";
  ArrayRef<int64_t> shape = shaped ? shaped.getShape() : ArrayRef<int64_t>();
  bool same = view.shape.size() == shape.size() &&
              view.strides.size() == shape.size() &&
              countElements(view.shape) >= 0;
  for (auto [expected, size] : llvm::zip(shape, view.shape))
    same &= ShapedType::isDynamic(expected) || expected == size;
  if (!same) {
    InFlightDiagnostic diagnostic = error() << "got shape [";
    llvm::interleaveComma(view.shape, diagnostic);
    return diagnostic << "]";
  }
  if (!view.data && countElements(view.shape) != 0)
    return error() << "got no data";
  return success();
}

Array ArgumentReader::makeArray(unsigned number) {
  const ArrayView &view = views[number];
  static const char nothing[16] = {};
  Array array;
  array.elementType = view.elementType;
  array.shape = view.shape;
  array.strides = view.strides;
  Extent extent(view);
  array.storage = std::make_shared<Storage>(
      *getElementKind(view.elementType), view.elementType,
      view.data ? view.data : nothing, extent.first, extent.size());
  return array;
}

LogicalResult ArgumentReader::share(unsigned number, Array &array) {
  const Storage &storage = *array.storage;
  const int64_t size = getElementSize(storage.getKind());
  auto address = [&](const Storage &of) {
    return reinterpret_cast<intptr_t>(of.getData());
  };
  for (Array &earlier : memrefs) {
    Storage &other = *earlier.storage;
    if (&other == array.storage.get() || other.getKind() != storage.getKind() ||
        other.getSize() == 0 || array.storage->getSize() == 0)
      continue;
    const int64_t distance = address(*array.storage) - address(other);
    // The bytes that each covers, from the other's data.
    const int64_t begin = distance + array.storage->getFirst() * size,
                  end = begin + array.storage->getSize() * size;
    const int64_t otherBegin = other.getFirst() * size,
                  otherEnd = otherBegin + other.getSize() * size;
    if (begin >= otherEnd || otherBegin >= end)
      continue;
    if (distance % size != 0)
      return function.emitError("argument ")
             << number << " overlaps another one by a part of an element";
    const int64_t shift = distance / size;
    const int64_t first =
        std::min(other.getFirst(), array.storage->getFirst() + shift);
    const int64_t last =
        std::max(other.getFirst() + other.getSize(),
                 array.storage->getFirst() + shift + array.storage->getSize());
    other.extend(first, last - first);
    // Every array of the storage that is given up moves over.
    std::shared_ptr<Storage> old = array.storage, shared = earlier.storage;
    array.storage = shared;
    array.offset += shift;
    for (Array &moved : memrefs)
      if (moved.storage == old) {
        moved.storage = shared;
        moved.offset += shift;
      }
  }
  return success();
}

LogicalResult ArgumentReader::read(SmallVectorImpl<RuntimeValue> &values) {
  if (views.size() != function.getNumArguments())
    return function.emitError("expected ")
           << function.getNumArguments() << " arguments, got " << views.size();
  SmallVector<int64_t> memrefOf(views.size(), -1);
  for (unsigned number = 0; number < views.size(); ++number) {
    if (failed(check(number)))
      return failure();
    Array array = makeArray(number);
    Type type = function.getArgumentTypes()[number];
    if (!isa<ShapedType>(type)) {
      values.push_back(array.read(0));
      continue;
    }
    if (isa<MemRefType>(type)) {
      if (failed(share(number, array)))
        return failure();
      memrefOf[number] = memrefs.size();
      memrefs.push_back(array);
    }
    values.push_back(array);
  }
  for (auto [value, memref] : llvm::zip_equal(values, memrefOf))
    if (memref >= 0)
      value = memrefs[memref];
  return success();
}

/// The reference and bound of a number that is a result.
static void finish(const std::optional<FloatFormat> &format,
                   const Number &number, Expected &expected) {
  Number result = normalized(number);
  // Infinities of either sign that meet in an error leave it unknown.
  if (std::isnan(result.error()))
    result = Number::unconstrained(result.value);
  long double bound = result.error();
  if (format) {
    // Overflow that is certain is an infinity; where it is not, the value and
    // its bound say so.
    if (!result.isUnconstrained() &&
        std::fabs(result.value) - bound >= format->overflowThreshold()) {
      result.value = std::copysign(HUGE_VALL, result.value);
      bound = 0;
    } else if (std::isfinite(result.value)) {
      // Where an intermediate's other neighbour is right, so is what is rounded
      // from it, which may lie where the type is coarser.
      long double farthest = std::fabs(result.value) + result.hard;
      bound +=
          ulp(*format, result.hard < DBL_MAX ? farthest : result.value) / 2;
    }
  }
  expected.value.push_back(result.value);
  expected.bound.push_back(bound);
}

static Expected makeExpected(Type type, const RuntimeValue &value,
                             int64_t argument) {
  Expected expected;
  expected.argument = argument;
  if (!value.array) {
    expected.elementType = type;
    finish(getFloatFormat(type), value.number, expected);
    return expected;
  }
  const Array &array = *value.array;
  expected.elementType = array.elementType;
  expected.shape = array.shape;
  expected.value.reserve(array.numElements());
  expected.bound.reserve(array.numElements());
  const std::optional<FloatFormat> format = getFloatFormat(array.elementType);
  for (int64_t position : array.offsets())
    finish(format, array.get(array.offset + position), expected);
  return expected;
}

FailureOr<SmallVector<Expected>>
mlir::xfmr::reference::evaluate(func::FuncOp function,
                                ArrayRef<ArrayView> arguments, bool relaxed) {
  SmallVector<RuntimeValue> values, results;
  if (failed(ArgumentReader(function, arguments).read(values)))
    return failure();
  Interpreter interpreter(relaxed);
  if (failed(interpreter.call(function, values, results)))
    return failure();
  if (results.size() != function.getNumResults()) {
    function.emitError("returned ") << results.size() << " values";
    return failure();
  }
  SmallVector<Expected> expected;
  for (auto [type, value] : llvm::zip_equal(function.getResultTypes(), results))
    expected.push_back(makeExpected(type, value, -1));
  for (auto [number, value] : llvm::enumerate(values))
    if (isa<MemRefType>(function.getArgumentTypes()[number]) &&
        value.array->storage->isWritten())
      expected.push_back(makeExpected(Type(), value, number));
  return expected;
}
