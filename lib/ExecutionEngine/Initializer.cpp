//===- Initializer.cpp - Reproducible contents for arguments --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Initializer.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::xfmr;

llvm::Expected<Initializer> Initializer::parse(StringRef text) {
  auto [name, value] = text.split(':');
  std::optional<Kind> kind = llvm::StringSwitch<std::optional<Kind>>(name)
                                 .Case("normal", Kind::Normal)
                                 .Case("uniform", Kind::Uniform)
                                 .Case("const", Kind::Constant)
                                 .Case("range", Kind::Range)
                                 .Default(std::nullopt);
  Initializer result;
  if (!kind || (text.contains(':') &&
                value.getAsDouble(result.value, /*AllowInexact=*/true)))
    return llvm::createStringError(
        "unknown initializer '" + text +
        "': expected normal, uniform, const or range, with a value as in "
        "const:0.5");
  result.kind = *kind;
  return result;
}

Random::Random(uint64_t seed, uint64_t stream) : state(seed) {
  state = next() ^ (stream * 0xd1342543de82ef95u);
  next();
}

uint64_t Random::next() {
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Random::normal() {
  // Twelve uniform numbers of 16 bits have variance 1 together; a uniform
  // number below the last bit makes the values as fine as those of a float.
  uint32_t sum = 0;
  for (int draw = 0; draw < 3; ++draw) {
    uint64_t bits = next();
    for (int part = 0; part < 4; ++part)
      sum += (bits >> (16 * part)) & 0xffff;
  }
  return (static_cast<double>(sum) + 5.5 + uniform()) * 0x1p-16 - 6.0;
}

void mlir::xfmr::fill(HostArray &array, const Initializer &initializer,
                      Random random) {
  Type type = array.getElementType();
  int64_t bytes = getElementBytes(type);
  bool isInteger = !isa<FloatType>(type);
  int64_t count = array.getNumElements(), index = 0;
  auto draw = [&]() -> double {
    switch (initializer.kind) {
    case Initializer::Kind::Constant:
      return initializer.value;
    case Initializer::Kind::Range: {
      double place = count > 1 ? 2.0 * index / (count - 1) - 1.0 : 0.0;
      return place * initializer.value;
    }
    case Initializer::Kind::Uniform:
      return (2.0 * random.uniform() - 1.0) * initializer.value;
    case Initializer::Kind::Normal:
      return random.normal() * initializer.value;
    }
    llvm_unreachable("all kinds are handled");
  };
  forEachElement(array.getShape(), array.getStrides(), [&](int64_t place) {
    double value = draw();
    if (isInteger && initializer.kind != Initializer::Kind::Constant)
      value = type.isInteger(1) ? value >= 0
                                : std::min(std::max(value, -1.0), 1.0) * 8.0;
    writeElement(array.getData() + place * bytes, type, value);
    ++index;
  });
}
