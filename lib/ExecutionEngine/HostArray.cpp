//===- HostArray.cpp - Arrays in memory, as compiled code takes them ------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/HostArray.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace mlir::xfmr;

SmallVector<int64_t> mlir::xfmr::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

/// A bound on the bytes of an array, below which sums of sizes do not overflow.
static constexpr int64_t kMaxElements = int64_t(1) << 48;

llvm::Expected<int64_t> mlir::xfmr::countElements(ArrayRef<int64_t> shape) {
  // Also without regard to zeros, since strides are products of the others.
  int64_t extent = 1, count = 1;
  for (int64_t size : shape) {
    if (size < 0 ||
        llvm::MulOverflow(extent, std::max<int64_t>(size, 1), extent) ||
        extent > kMaxElements)
      return llvm::createStringError("the array is too large for memory");
    count *= size;
  }
  return count;
}

llvm::Expected<HostArray> HostArray::create(Type elementType,
                                            ArrayRef<int64_t> shape) {
  llvm::Expected<int64_t> count = countElements(shape);
  if (!count)
    return count.takeError();
  return create(elementType, shape, getRowMajorStrides(shape), 0);
}

llvm::Expected<HostArray> HostArray::create(Type elementType,
                                            ArrayRef<int64_t> shape,
                                            ArrayRef<int64_t> strides,
                                            int64_t offset) {
  llvm::Expected<int64_t> count = countElements(shape);
  if (!count)
    return count.takeError();
  // The place behind the last element.
  int64_t end = offset + (*count > 0);
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    int64_t extent;
    if (*count > 0 && (llvm::MulOverflow(size - 1, stride, extent) ||
                       llvm::AddOverflow(end, extent, end)))
      end = kMaxElements + 1;
  }
  if (offset < 0 || end < 0 || end > kMaxElements)
    return llvm::createStringError("the array is too large for memory");

  HostArray array;
  array.elementType = elementType;
  array.shape.assign(shape.begin(), shape.end());
  array.strides.assign(strides.begin(), strides.end());
  array.offset = offset;
  array.numBytes = end * getElementBytes(elementType);
  // Never without memory: a null pointer is the mark of an absent array.
  size_t allocated = llvm::alignTo(std::max<size_t>(array.numBytes, 1), 64);
  array.memory.reset(static_cast<char *>(std::aligned_alloc(64, allocated)));
  if (!array.memory)
    return llvm::createStringError("no memory for an array of " +
                                   Twine(array.numBytes) + " bytes");
  std::memset(array.memory.get(), 0, allocated);
  return array;
}

int64_t HostArray::getNumElements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

bool HostArray::isContiguous() const {
  return strides == getRowMajorStrides(shape);
}

char *HostArray::getData() const {
  return memory.get() + offset * getElementBytes(elementType);
}

llvm::Expected<HostArray> HostArray::clone() const {
  llvm::Expected<HostArray> copy = create(elementType, shape, strides, offset);
  if (copy)
    std::memcpy(copy->memory.get(), memory.get(), numBytes);
  return copy;
}

void mlir::xfmr::forEachElement(ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> strides,
                                llvm::function_ref<void(int64_t)> function) {
  if (llvm::is_contained(shape, 0))
    return;
  if (shape.empty())
    return function(0);
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t place = 0, last = shape.size() - 1;
  while (true) {
    for (int64_t i = 0; i < shape[last]; ++i)
      function(place + i * strides[last]);
    int64_t dim = last - 1;
    for (; dim >= 0; --dim) {
      place += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      place -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

template <typename T> static T load(const char *pointer) {
  T value;
  std::memcpy(&value, pointer, sizeof(T));
  return value;
}

double mlir::xfmr::readElement(const char *pointer, Type type) {
  if (type.isF64())
    return load<double>(pointer);
  if (type.isF32())
    return load<float>(pointer);
  if (type.isBF16())
    return llvm::bit_cast<float>(uint32_t(load<uint16_t>(pointer)) << 16);
  if (auto floating = dyn_cast<FloatType>(type)) {
    llvm::APFloat value(floating.getFloatSemantics(),
                        llvm::APInt(16, load<uint16_t>(pointer)));
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  switch (getElementBytes(type)) {
  case 1:
    return type.isInteger(1) ? load<uint8_t>(pointer) & 1
                             : load<int8_t>(pointer);
  case 2:
    return load<int16_t>(pointer);
  case 4:
    return load<int32_t>(pointer);
  default:
    return load<int64_t>(pointer);
  }
}

/// The bf16 nearest to a number. Rounded to an f32 first, to odd, which leaves
/// the second rounding what it would be without the first.
static uint16_t roundToBF16(double value) {
  float narrow = static_cast<float>(value);
  uint32_t bits = llvm::bit_cast<uint32_t>(narrow);
  if (std::isnan(value))
    return (bits >> 16) | 0x40;
  if (narrow != value) {
    bits -= std::abs(static_cast<double>(narrow)) > std::abs(value);
    bits |= 1;
  }
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

void mlir::xfmr::writeElement(char *pointer, Type type, double value) {
  auto store = [&](auto stored) {
    std::memcpy(pointer, &stored, sizeof(stored));
  };
  if (type.isF64())
    return store(value);
  if (type.isF32())
    return store(static_cast<float>(value));
  if (type.isBF16())
    return store(roundToBF16(value));
  if (auto floating = dyn_cast<FloatType>(type)) {
    llvm::APFloat rounded(value);
    bool losesInfo;
    rounded.convert(floating.getFloatSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return store(
        static_cast<uint16_t>(rounded.bitcastToAPInt().getZExtValue()));
  }
  if (type.isInteger(1))
    return store(static_cast<uint8_t>(value != 0));
  // A cast out of range is undefined in C++.
  unsigned bits = 8 * getElementBytes(type);
  double limit = std::ldexp(1.0, bits - 1);
  int64_t integer = 0;
  if (value >= limit)
    integer = llvm::maxIntN(bits);
  else if (value < -limit)
    integer = llvm::minIntN(bits);
  else if (!std::isnan(value))
    integer = static_cast<int64_t>(value);
  switch (getElementBytes(type)) {
  case 1:
    return store(static_cast<int8_t>(integer));
  case 2:
    return store(static_cast<int16_t>(integer));
  case 4:
    return store(static_cast<int32_t>(integer));
  default:
    return store(integer);
  }
}

Descriptor::Descriptor(const HostArray &array)
    : Descriptor(array.getShape().size()) {
  words[0] = words[1] = reinterpret_cast<int64_t>(array.getBase());
  words[2] = array.getOffset();
  llvm::copy(array.getShape(), words.begin() + 3);
  llvm::copy(array.getStrides(), words.begin() + 3 + rank);
}
