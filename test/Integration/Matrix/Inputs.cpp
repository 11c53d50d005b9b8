//===- Inputs.cpp - Memory and contents for a combination's run -----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "xfmr/ExecutionEngine/Initializer.h"
#include "xfmr/Reference/Elements.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::test;

static constexpr int64_t kGuardBytes = 192;

Inputs::Inputs(const Combination &combination, const Sizes &sizes,
               Program &program, uint64_t seed)
    : combination(combination) {
  buffers.reserve(combination.arguments.size());
  for (const ArgumentPlan &plan : combination.arguments) {
    ArrayView view;
    view.elementType = program.getType(plan.element);
    for (const Dim &dim : plan.dims)
      view.shape.push_back(dim.get(sizes));
    bool strided = combination.storage == "strided";
    // Inner stride 2, and rows that are further apart than they are long.
    int64_t stride = strided ? 2 : 1;
    view.strides.assign(view.shape.size(), 0);
    for (size_t dim = view.shape.size(); dim-- > 0;) {
      view.strides[dim] = stride;
      stride *= std::max<int64_t>(view.shape[dim], 1);
      if (strided)
        stride += 3;
    }
    Buffer buffer;
    buffer.elementBytes = xfmr::getElementBytes(view.elementType);
    buffer.first = kGuardBytes;
    // One element off the alignment that the guard gives.
    if (seed % 2)
      buffer.first += buffer.elementBytes;
    buffer.memory.assign(2 * kGuardBytes + buffer.elementBytes * (stride + 1),
                         char(0xA5));
    view.data = buffer.memory.data() + buffer.first;
    fill(plan, combination, view,
         seed * 131 + static_cast<uint64_t>(arguments.size()));
    buffer.original = buffer.memory;
    buffers.push_back(std::move(buffer));
    view.data = buffers.back().memory.data() + buffers.back().first;
    arguments.push_back({view, strided ? 5 : 0});
  }
}

SmallVector<ArrayView> Inputs::getViews() const {
  return llvm::map_to_vector(arguments,
                             [](const Argument &a) { return a.view; });
}

void Inputs::reset() {
  for (Buffer &buffer : buffers)
    std::memcpy(buffer.memory.data(), buffer.original.data(),
                buffer.memory.size());
}

void Inputs::fill(const ArgumentPlan &plan, const Combination &combination,
                  const ArrayView &view, uint64_t seed) {
  Random random(seed, 0);
  int64_t count = std::accumulate(view.shape.begin(), view.shape.end(),
                                  int64_t(1), std::multiplies<>());
  int64_t rowLength = 1;
  for (int64_t size : ArrayRef(view.shape).take_back(plan.innerDims))
    rowLength *= size;
  int64_t rows = rowLength ? count / rowLength : 0;
  std::optional<reference::ElementKind> kind =
      reference::getElementKind(view.elementType);
  double inputs = std::max<int64_t>(
      plan.content == Content::Weight
          ? *std::max_element(view.shape.begin(), view.shape.end())
          : 1,
      1);
  bool isHalf = plan.element == "f16";
  int64_t index = 0;
  forEachElement(view.shape, view.strides, [&](int64_t place) {
    int64_t row = rowLength ? index / rowLength : 0;
    int64_t column = rowLength ? index % rowLength : 0;
    ++index;
    double value = random.normal();
    switch (plan.content) {
    case Content::Data: {
      // A single row is one of the special kinds as well, by the seed.
      int64_t flavour = rows > 4 ? row % 8 : static_cast<int64_t>(seed % 5) * 2;
      switch (flavour) {
      case 1:
        value = 0;
        break;
      case 2:
        value = combination.moderate ? value + 20 : value + 10000;
        break;
      case 3:
        if (column == rowLength / 2)
          value = std::nan("");
        break;
      case 4:
        if (rows > 4 && column == rowLength - 1)
          value = HUGE_VAL;
        break;
      case 5:
        value = 3.25;
        break;
      case 6:
        value *= isHalf ? 1e-6 : 1e-20;
        break;
      default:
        break;
      }
      break;
    }
    case Content::Branch:
      if (rows > 4 && row % 8 == 1)
        value = 0;
      break;
    case Content::Weight:
      value /= std::sqrt(inputs);
      break;
    case Content::Gamma:
      value = 1 + value / 4;
      break;
    case Content::Bias:
      value /= 8;
      break;
    case Content::Mask:
      value = random.uniform() < 0.6;
      break;
    case Content::Destination:
      value = std::nan("");
      break;
    }
    reference::writeElement(*kind, view.data, place, value);
  });
}

std::string Inputs::findStrayWrites() const {
  for (auto [plan, argument, buffer] :
       llvm::zip_equal(combination.arguments, arguments, buffers)) {
    if (plan.content != Content::Destination) {
      if (buffer.memory != buffer.original)
        return "the input '" + plan.name + "' was written";
      continue;
    }
    std::vector<char> expected = buffer.original;
    const Buffer &written = buffer;
    forEachElement(
        argument.view.shape, argument.view.strides, [&](int64_t place) {
          int64_t byte = written.first + place * written.elementBytes;
          std::memcpy(&expected[byte], &written.memory[byte],
                      written.elementBytes);
        });
    if (buffer.memory != expected)
      return "memory beside the elements of '" + plan.name + "' was written";
  }
  return "";
}

std::vector<char> mlir::xfmr::test::getElementBytes(const ArrayView &view) {
  int64_t size = xfmr::getElementBytes(view.elementType);
  std::vector<char> bytes;
  const char *data = static_cast<const char *>(view.data);
  forEachElement(view.shape, view.strides, [&](int64_t place) {
    bytes.insert(bytes.end(), data + place * size, data + (place + 1) * size);
  });
  return bytes;
}

std::vector<char> Inputs::getBytes(size_t argument) const {
  return test::getElementBytes(arguments[argument].view);
}

ArrayView mlir::xfmr::test::takeRow(const ArrayView &view, int64_t index) {
  ArrayView row = view;
  row.shape[0] = 1;
  row.data = static_cast<char *>(view.data) +
             index * view.strides[0] * xfmr::getElementBytes(view.elementType);
  return row;
}
