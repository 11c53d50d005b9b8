//===- Elements.cpp - Typed elements in memory -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Reference/Elements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/Reference/Rounding.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::xfmr::reference;

std::optional<ElementKind> mlir::xfmr::reference::getElementKind(Type type) {
  if (!type)
    return std::nullopt;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isF64())
    return ElementKind::F64;
  if (type.isIndex())
    return ElementKind::Index;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return ElementKind::I1;
    case 8:
      return ElementKind::I8;
    case 16:
      return ElementKind::I16;
    case 32:
      return ElementKind::I32;
    case 64:
      return ElementKind::I64;
    default:
      break;
    }
  }
  return std::nullopt;
}

int64_t mlir::xfmr::reference::getElementSize(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
  case ElementKind::I8:
    return 1;
  case ElementKind::F16:
  case ElementKind::BF16:
  case ElementKind::I16:
    return 2;
  case ElementKind::F32:
  case ElementKind::I32:
    return 4;
  case ElementKind::F64:
  case ElementKind::I64:
  case ElementKind::Index:
    return 8;
  }
  return 0;
}

int64_t mlir::xfmr::reference::getElementSize(Type type) {
  std::optional<ElementKind> kind = getElementKind(type);
  return kind ? getElementSize(*kind) : 0;
}

/// Memory may be aligned to less than the element.
template <typename T> static T load(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T> static void store(void *data, int64_t index, T value) {
  std::memcpy(static_cast<char *>(data) + index * sizeof(T), &value, sizeof(T));
}

static float decodeHalf(uint16_t bits) {
  // Moved to the place that f32 has for them, the bits are off by 2^112 alone,
  // for subnormals too; only the exponent of infinities and NaN differs.
  uint32_t wide = static_cast<uint32_t>(bits & 0x7fff) << 13;
  if ((bits & 0x7c00) == 0x7c00)
    wide |= 0x7f800000;
  float magnitude = load<float>(&wide, 0) * 0x1p112f;
  return bits & 0x8000 ? -magnitude : magnitude;
}

static uint16_t encodeHalf(long double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7e00;
  long double rounded = std::fabs(roundTo(FloatFormat{11, -14, 15}, value));
  if (std::isinf(rounded))
    return sign | 0x7c00;
  if (rounded < std::ldexp(1.0L, -14)) // Subnormal: a count of 2^-24.
    return sign | static_cast<uint16_t>(std::ldexp(rounded, 24));
  int exponent = std::ilogb(rounded);
  auto significand = static_cast<uint16_t>(std::ldexp(rounded, 10 - exponent));
  return sign |
         static_cast<uint16_t>(((exponent + 15) << 10) + (significand - 1024));
}

static float decodeBrain(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  return load<float>(&wide, 0);
}

static uint16_t encodeBrain(long double value) {
  if (std::isnan(value))
    return std::signbit(value) ? 0xffc0 : 0x7fc0;
  // Exact: every bf16 is an f32 with zeros at its end.
  auto rounded = static_cast<float>(roundTo(FloatFormat{8, -126, 127}, value));
  return static_cast<uint16_t>(load<uint32_t>(&rounded, 0) >> 16);
}

long double mlir::xfmr::reference::readElement(ElementKind kind,
                                               const void *data,
                                               int64_t index) {
  switch (kind) {
  case ElementKind::F32:
    return load<float>(data, index);
  case ElementKind::BF16:
    return decodeBrain(load<uint16_t>(data, index));
  case ElementKind::F16:
    return decodeHalf(load<uint16_t>(data, index));
  case ElementKind::F64:
    return load<double>(data, index);
  case ElementKind::I1:
    return load<uint8_t>(data, index) & 1;
  case ElementKind::I8:
    return load<int8_t>(data, index);
  case ElementKind::I16:
    return load<int16_t>(data, index);
  case ElementKind::I32:
    return load<int32_t>(data, index);
  case ElementKind::I64:
  case ElementKind::Index:
    return load<int64_t>(data, index);
  }
  return std::numeric_limits<long double>::quiet_NaN();
}

long double mlir::xfmr::reference::readElement(Type type, const void *data,
                                               int64_t index) {
  std::optional<ElementKind> kind = getElementKind(type);
  return kind ? readElement(*kind, data, index)
              : std::numeric_limits<long double>::quiet_NaN();
}

/// The low bits of a number cut to an integer; 0 beyond 64 bits and for NaN.
static int64_t toInteger(long double value) {
  if (!(std::fabs(value) < std::ldexp(1.0L, 64)))
    return 0;
  if (value < -std::ldexp(1.0L, 63) || value >= std::ldexp(1.0L, 63))
    return static_cast<int64_t>(value < 0 ? -static_cast<uint64_t>(-value)
                                          : static_cast<uint64_t>(value));
  return static_cast<int64_t>(value);
}

void mlir::xfmr::reference::writeElement(ElementKind kind, void *data,
                                         int64_t index, long double value) {
  switch (kind) {
  case ElementKind::F32:
    return store(
        data, index,
        static_cast<float>(roundTo(FloatFormat{24, -126, 127}, value)));
  case ElementKind::BF16:
    return store(data, index, encodeBrain(value));
  case ElementKind::F16:
    return store(data, index, encodeHalf(value));
  case ElementKind::F64:
    return store(
        data, index,
        static_cast<double>(roundTo(FloatFormat{53, -1022, 1023}, value)));
  case ElementKind::I1:
    return store<uint8_t>(data, index, value != 0);
  case ElementKind::I8:
    return store(data, index, static_cast<int8_t>(toInteger(value)));
  case ElementKind::I16:
    return store(data, index, static_cast<int16_t>(toInteger(value)));
  case ElementKind::I32:
    return store(data, index, static_cast<int32_t>(toInteger(value)));
  case ElementKind::I64:
  case ElementKind::Index:
    return store(data, index, toInteger(value));
  }
}

void mlir::xfmr::reference::writeElement(Type type, void *data, int64_t index,
                                         long double value) {
  if (std::optional<ElementKind> kind = getElementKind(type))
    writeElement(*kind, data, index, value);
}
