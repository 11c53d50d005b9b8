//===- Arguments.cpp - The arguments of a call ----------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Arguments.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/ExecutionEngine/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"

#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::xfmr;

llvm::Expected<SmallVector<int64_t>> mlir::xfmr::parseShape(StringRef text) {
  SmallVector<int64_t> shape;
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    uint64_t size;
    if (part.getAsInteger(10, size) || size > INT64_MAX)
      return llvm::createStringError("'" + text +
                                     "' is not a shape such as 128x576");
    shape.push_back(size);
  }
  return shape;
}

namespace {

/// Makes one argument.
class ArgumentBuilder {
public:
  ArgumentBuilder(const EntryValue &value, unsigned index,
                  const ArgumentOptions &options)
      : value(value), index(index), options(options) {}

  llvm::Error makeError(const Twine &message) {
    return llvm::createStringError(
        "argument " + Twine(index) + " (" + value.name + " : " +
        llvm::to_string(value.type) + "): " + message);
  }

  /// Sizes from the type and the shape given.
  llvm::Expected<SmallVector<int64_t>> getKnownShape();
  /// A scalar, or what a file holds.
  llvm::Expected<HostArray> buildGiven();
  llvm::Expected<HostArray> buildFilled(MutableArrayRef<int64_t> shape);
  bool isGiven() { return value.isScalar || getGiven(); }

private:
  const std::string *getGiven() {
    auto given = options.given.find(index);
    return given == options.given.end() ? nullptr : &given->second;
  }
  llvm::Error checkShape(ArrayRef<int64_t> shape, StringRef whose);
  llvm::Expected<HostArray> allocate(ArrayRef<int64_t> shape);
  llvm::Expected<HostArray> buildScalar();
  llvm::Expected<HostArray> readFile(StringRef path);
  void fillArray(HostArray &array);

  const EntryValue &value;
  unsigned index;
  const ArgumentOptions &options;
};

} // namespace

llvm::Error ArgumentBuilder::checkShape(ArrayRef<int64_t> shape,
                                        StringRef whose) {
  bool fits = shape.size() == value.shape.size();
  for (auto [expected, found] : llvm::zip(value.shape, shape))
    fits &= ShapedType::isDynamic(expected) || expected == found;
  if (fits)
    return llvm::Error::success();
  return makeError(whose + " is " + formatShape(shape, value.elementType) +
                   ", expected " + formatShape(value.shape, value.elementType));
}

llvm::Expected<SmallVector<int64_t>> ArgumentBuilder::getKnownShape() {
  auto given = options.shapes.find(index);
  if (given == options.shapes.end())
    return value.shape;
  if (llvm::Error error = checkShape(given->second, "the shape given"))
    return error;
  return given->second;
}

llvm::Expected<HostArray> ArgumentBuilder::allocate(ArrayRef<int64_t> shape) {
  if (value.isIdentityLayout)
    return HostArray::create(value.elementType, shape);
  if (llvm::Expected<int64_t> count = countElements(shape); !count)
    return count.takeError();
  // Open strides are those of rows without gaps; where a fixed one is in the
  // way, they step over all that the fixed ones reach.
  auto extent = [&](size_t dim, int64_t stride) {
    int64_t result;
    bool overflows =
        llvm::MulOverflow(stride, std::max<int64_t>(shape[dim], 1), result);
    // Too large for memory; the array is then refused.
    return overflows ? std::numeric_limits<int64_t>::max() : result;
  };
  auto fillOpen = [&](int64_t next) -> std::optional<SmallVector<int64_t>> {
    SmallVector<int64_t> strides(value.strides);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (ShapedType::isDynamic(strides[dim]))
        strides[dim] = next;
      else if (next > std::max<int64_t>(strides[dim], 1))
        return std::nullopt;
      next = std::max(next, extent(dim, strides[dim]));
    }
    return strides;
  };
  std::optional<SmallVector<int64_t>> strides = fillOpen(1);
  if (!strides) {
    int64_t next = 1;
    for (auto [dim, stride] : llvm::enumerate(value.strides))
      if (!ShapedType::isDynamic(stride))
        next = std::max(next, extent(dim, stride));
    strides.emplace(value.strides);
    for (size_t dim = shape.size(); dim-- > 0;)
      if (ShapedType::isDynamic((*strides)[dim])) {
        (*strides)[dim] = next;
        next = extent(dim, next);
      }
  }
  int64_t offset = ShapedType::isDynamic(value.offset) ? 0 : value.offset;
  return HostArray::create(value.elementType, shape, *strides, offset);
}

llvm::Expected<HostArray> ArgumentBuilder::buildScalar() {
  llvm::Expected<HostArray> scalar = HostArray::create(value.elementType, {});
  if (!scalar)
    return scalar.takeError();
  const std::string *text = getGiven();
  bool isFloat = isa<FloatType>(value.elementType);
  if (!text) {
    if (!isFloat)
      return makeError("an integer is needed: give it with --arg " +
                       Twine(index) + "=VALUE");
    fillArray(*scalar);
    return scalar;
  }
  double number;
  int64_t integer;
  if (isFloat && !StringRef(*text).getAsDouble(number)) {
    writeElement(scalar->getData(), value.elementType, number);
    return scalar;
  }
  if (*text == "true" || *text == "false")
    integer = *text == "true";
  else if (isFloat || StringRef(*text).getAsInteger(10, integer))
    return makeError("'" + Twine(*text) + "' is not a value of this type");
  unsigned bits = 8 * getElementBytes(value.elementType);
  bool fits = value.elementType.isInteger(1)
                  ? integer == 0 || integer == 1
                  : llvm::isIntN(bits, integer) ||
                        llvm::isUIntN(bits, static_cast<uint64_t>(integer));
  if (!fits)
    return makeError("'" + Twine(*text) + "' is out of range");
  // Little endian, as npy files are required to be.
  std::memcpy(scalar->getData(), &integer, bits / 8);
  return scalar;
}

llvm::Expected<HostArray> ArgumentBuilder::readFile(StringRef path) {
  llvm::Expected<HostArray> file = readNpy(path, value.elementType);
  if (!file)
    return makeError(llvm::toString(file.takeError()));
  if (llvm::Error error = checkShape(file->getShape(), path))
    return error;
  auto given = options.shapes.find(index);
  if (given != options.shapes.end() &&
      file->getShape() != ArrayRef<int64_t>(given->second))
    return makeError(path + " is " +
                     formatShape(file->getShape(), value.elementType) +
                     ", the shape given is " +
                     formatShape(given->second, value.elementType));
  if (value.isIdentityLayout)
    return file;
  llvm::Expected<HostArray> array = allocate(file->getShape());
  if (!array)
    return makeError(llvm::toString(array.takeError()));
  int64_t bytes = getElementBytes(value.elementType);
  const char *next = file->getData();
  forEachElement(array->getShape(), array->getStrides(), [&](int64_t place) {
    std::memcpy(array->getData() + place * bytes, next, bytes);
    next += bytes;
  });
  return array;
}

void ArgumentBuilder::fillArray(HostArray &array) {
  auto special = options.initializers.find(index);
  Initializer initializer = options.initializer;
  if (special != options.initializers.end())
    initializer = special->second;
  else if (value.isWeight && value.getRank() >= 2 &&
           initializer.kind == Initializer::Kind::Normal &&
           initializer.value == 1.0)
    initializer.value = 0.02;
  fill(array, initializer, Random(options.seed, index));
}

llvm::Expected<HostArray> ArgumentBuilder::buildGiven() {
  if (value.isScalar)
    return buildScalar();
  return readFile(*getGiven());
}

llvm::Expected<HostArray>
ArgumentBuilder::buildFilled(MutableArrayRef<int64_t> shape) {
  for (int64_t &size : shape) {
    if (!ShapedType::isDynamic(size))
      continue;
    if (!options.dynamicSize)
      return makeError("sizes are unknown: give them with --shape " +
                       Twine(index) + "=... or --dynamic-size");
    size = *options.dynamicSize;
  }
  llvm::Expected<HostArray> array = allocate(shape);
  if (!array)
    return makeError(llvm::toString(array.takeError()));
  fillArray(*array);
  return array;
}

llvm::Expected<Arguments> Arguments::create(const EntrySignature &signature,
                                            const ArgumentOptions &options) {
  unsigned count = signature.arguments.size();
  auto checkPosition = [&](auto &map, StringRef option) -> llvm::Error {
    for (auto &[index, value] : map)
      if (index >= count)
        return llvm::createStringError(option + ": there is no argument " +
                                       Twine(index) + ", '" + signature.name +
                                       "' has " + Twine(count));
    return llvm::Error::success();
  };
  if (llvm::Error error = checkPosition(options.initializers, "--init"))
    return error;
  if (llvm::Error error = checkPosition(options.given, "--arg"))
    return error;
  if (llvm::Error error = checkPosition(options.shapes, "--shape"))
    return error;

  // First what is given, which may tell the sizes of the rest.
  Arguments result;
  SmallVector<SmallVector<int64_t>> shapes;
  for (auto [index, value] : llvm::enumerate(signature.arguments)) {
    ArgumentBuilder builder(value, index, options);
    result.arrays.emplace_back();
    auto given = options.given.find(index);
    if (given != options.given.end() &&
        StringRef(given->second).starts_with("@")) {
      unsigned other;
      if (StringRef(given->second).drop_front().getAsInteger(10, other) ||
          other >= index || value.isScalar ||
          signature.arguments[other].type != value.type)
        return builder.makeError("expected @ and the position of an earlier "
                                 "array of the same type, got '" +
                                 Twine(given->second) + "'");
      shapes.push_back(shapes[other]);
      continue;
    }
    llvm::Expected<SmallVector<int64_t>> shape = builder.getKnownShape();
    if (!shape)
      return shape.takeError();
    shapes.push_back(*shape);
    if (!builder.isGiven())
      continue;
    llvm::Expected<HostArray> array = builder.buildGiven();
    if (!array)
      return array.takeError();
    shapes.back().assign(array->getShape().begin(), array->getShape().end());
    result.arrays.back() = std::make_shared<HostArray>(std::move(*array));
  }
  if (options.inferShapes)
    options.inferShapes(shapes);
  for (auto [index, value] : llvm::enumerate(signature.arguments)) {
    if (result.arrays[index])
      continue;
    auto given = options.given.find(index);
    if (given != options.given.end()) {
      unsigned other = 0;
      (void)StringRef(given->second).drop_front().getAsInteger(10, other);
      result.arrays[index] = result.arrays[other];
      continue;
    }
    llvm::Expected<HostArray> array =
        ArgumentBuilder(value, index, options).buildFilled(shapes[index]);
    if (!array)
      return array.takeError();
    result.arrays[index] = std::make_shared<HostArray>(std::move(*array));
  }
  return result;
}

unsigned Arguments::getOwner(unsigned index) const {
  return llvm::find(arrays, arrays[index]) - arrays.begin();
}

SmallVector<SmallVector<int64_t>> Arguments::getShapes() const {
  SmallVector<SmallVector<int64_t>> shapes;
  for (const std::shared_ptr<HostArray> &array : arrays)
    shapes.emplace_back(array->getShape());
  return shapes;
}

bool Arguments::isAlone(unsigned index) const {
  return llvm::count(arrays, arrays[index]) == 1;
}

llvm::Expected<Arguments>
Arguments::clone(llvm::function_ref<bool(unsigned)> isShared) const {
  Arguments copy;
  for (unsigned index = 0; index < size(); ++index) {
    unsigned owner = getOwner(index);
    if (owner != index) {
      copy.arrays.push_back(copy.arrays[owner]);
      continue;
    }
    if (isShared && isShared(index)) {
      copy.arrays.push_back(arrays[index]);
      continue;
    }
    llvm::Expected<HostArray> array = arrays[index]->clone();
    if (!array)
      return array.takeError();
    copy.arrays.push_back(std::make_shared<HostArray>(std::move(*array)));
  }
  return copy;
}

void Arguments::restore(unsigned index, const Arguments &other) {
  MutableArrayRef<char> bytes = arrays[index]->getBytes();
  if (!bytes.empty())
    std::memcpy(bytes.data(), other[index].getBytes().data(), bytes.size());
}

bool Arguments::isEqual(unsigned index, const Arguments &other) const {
  return arrays[index]->getBytes() == other[index].getBytes();
}
