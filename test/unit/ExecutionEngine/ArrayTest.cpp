//===- ArrayTest.cpp - Arrays, their contents and descriptors -------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "xfmr/ExecutionEngine/Initializer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::xfmr;
using test::messageOf;
using test::unwrap;
using testing::HasSubstr;

namespace {

struct ArrayTest : testing::Test {
  MLIRContext context;
  Type f32 = Float32Type::get(&context);
  Type f64 = Float64Type::get(&context);
  Type bf16 = BFloat16Type::get(&context);
  Type f16 = Float16Type::get(&context);
  Type i1 = IntegerType::get(&context, 1);
  Type i8 = IntegerType::get(&context, 8);

  double roundTrip(Type type, double value) {
    char bytes[8];
    writeElement(bytes, type, value);
    return readElement(bytes, type);
  }
};

TEST_F(ArrayTest, ElementsRoundToNearestEven) {
  EXPECT_EQ(roundTrip(bf16, 1.0 + 1.0 / 256), 1.0);
  EXPECT_EQ(roundTrip(bf16, 1.0 + 3.0 / 256), 1.0 + 4.0 / 256);
  EXPECT_EQ(roundTrip(f16, 2049.0), 2048.0);
  EXPECT_EQ(roundTrip(f16, 2051.0), 2052.0);
  EXPECT_EQ(roundTrip(f16, 65520.0), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(roundTrip(bf16, std::nan(""))));
  EXPECT_EQ(roundTrip(f32, 0.1), double(0.1f));
  EXPECT_EQ(roundTrip(f64, 0.1), 0.1);
}

// Against LLVM's arithmetic, around ties and at the ends of the range.
TEST_F(ArrayTest, Bfloat16RoundsOnce) {
  for (double base :
       {1.0, 255.0, 1e-40, 9.2e-41, 3.3e38, 3.39e38, 4.6e-41, 1e39})
    for (double tie : {0.0, 1.0 / 256, 3.0 / 256, 1.0 / 512})
      for (double nudge : {0.0, 0x1p-30, -0x1p-30, 0x1p-45, -0x1p-45, 1e-9})
        for (double sign : {1.0, -1.0}) {
          double value = sign * base * (1 + tie + nudge);
          llvm::APFloat expected(value);
          bool losesInfo;
          expected.convert(llvm::APFloat::BFloat(),
                           llvm::APFloat::rmNearestTiesToEven, &losesInfo);
          expected.convert(llvm::APFloat::IEEEdouble(),
                           llvm::APFloat::rmNearestTiesToEven, &losesInfo);
          EXPECT_EQ(roundTrip(bf16, value), expected.convertToDouble())
              << value;
        }
}

TEST_F(ArrayTest, IntegersStayInRange) {
  EXPECT_EQ(roundTrip(i8, -2.9), -2);
  EXPECT_EQ(roundTrip(i8, 1e9), 127);
  EXPECT_EQ(roundTrip(i8, -1e9), -128);
  EXPECT_EQ(roundTrip(i8, std::nan("")), 0);
  EXPECT_EQ(roundTrip(IndexType::get(&context), 0x1p63), 0x1p63);
  EXPECT_EQ(roundTrip(i1, -0.5), 1);
}

TEST_F(ArrayTest, DescriptorOfStridedArray) {
  HostArray array = unwrap(HostArray::create(f32, {2, 3}, {8, 2}, 5));
  EXPECT_FALSE(array.isContiguous());
  EXPECT_EQ(array.getBytes().size(), (5u + 8 + 4 + 1) * 4);
  EXPECT_EQ(array.getData(), array.getBase() + 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array.getBase()) % 64, 0u);
  Descriptor descriptor(array);
  EXPECT_EQ(descriptor.getAligned(), array.getBase());
  EXPECT_EQ(descriptor.getOffset(), 5);
  EXPECT_EQ(descriptor.getSizes(), ArrayRef<int64_t>({2, 3}));
  EXPECT_EQ(descriptor.getStrides(), ArrayRef<int64_t>({8, 2}));
  SmallVector<int64_t> places;
  forEachElement(array.getShape(), array.getStrides(),
                 [&](int64_t place) { places.push_back(place); });
  EXPECT_EQ(places, SmallVector<int64_t>({0, 2, 4, 8, 10, 12}));
}

TEST_F(ArrayTest, EmptyAndRankZero) {
  HostArray empty = unwrap(HostArray::create(f32, {4, 0, 16}));
  EXPECT_EQ(empty.getNumElements(), 0);
  EXPECT_NE(empty.getBase(), nullptr);
  int64_t visited = 0;
  forEachElement(empty.getShape(), empty.getStrides(),
                 [&](int64_t) { ++visited; });
  EXPECT_EQ(visited, 0);
  HostArray scalar = unwrap(HostArray::create(f64, {}));
  forEachElement(scalar.getShape(), scalar.getStrides(),
                 [&](int64_t) { ++visited; });
  EXPECT_EQ(visited, 1);
}

TEST_F(ArrayTest, TooLargeIsAnError) {
  int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(messageOf(HostArray::create(f32, {huge, 2})),
              HasSubstr("too large for memory"));
  EXPECT_THAT(messageOf(HostArray::create(f32, {huge, 0})),
              HasSubstr("too large for memory"));
  EXPECT_THAT(messageOf(HostArray::create(f32, {2}, {huge}, 0)),
              HasSubstr("too large for memory"));
  EXPECT_THAT(messageOf(HostArray::create(f32, {3}, {huge}, 0)),
              HasSubstr("too large for memory"));
}

TEST_F(ArrayTest, InitializersAreReadAndRefused) {
  EXPECT_EQ(unwrap(Initializer::parse("const:-2.5")).value, -2.5);
  EXPECT_EQ(unwrap(Initializer::parse("uniform")).kind,
            Initializer::Kind::Uniform);
  for (StringRef bad : {"", "gauss", "const:", "const:x", "normal:1:2"})
    EXPECT_THAT(messageOf(Initializer::parse(bad)),
                HasSubstr("unknown initializer"))
        << bad.str();
}

// The numbers are part of the contract: results of one machine can be compared
// with those of another.
TEST_F(ArrayTest, RandomNumbersNeverChange) {
  Random random(1, 0);
  EXPECT_EQ(random.next(), 17405687883870564846u);
  HostArray array = unwrap(HostArray::create(f32, {1000}));
  fill(array, *Initializer::parse("normal"), Random(42, 3));
  EXPECT_EQ(llvm::xxh3_64bits(StringRef(array.getBase(), 4000)),
            478836748658835133u);
}

TEST_F(ArrayTest, DistributionsAreWhatTheySay) {
  HostArray array = unwrap(HostArray::create(f64, {100000}));
  auto moments = [&](StringRef initializer) {
    fill(array, unwrap(Initializer::parse(initializer)), Random(0, 0));
    double sum = 0, squares = 0, largest = 0;
    for (int64_t i = 0; i < 100000; ++i) {
      double value = readElement(array.getData() + 8 * i, f64);
      sum += value;
      squares += value * value;
      largest = std::max(largest, std::abs(value));
    }
    return std::make_tuple(sum / 1e5, std::sqrt(squares / 1e5), largest);
  };
  auto [mean, deviation, largest] = moments("normal:2");
  EXPECT_NEAR(mean, 0, 0.02);
  EXPECT_NEAR(deviation, 2, 0.02);
  EXPECT_GT(largest, 6);
  std::tie(mean, deviation, largest) = moments("uniform:3");
  EXPECT_NEAR(mean, 0, 0.02);
  EXPECT_NEAR(deviation, 3 / std::sqrt(3.0), 0.02);
  EXPECT_LT(largest, 3);
  std::tie(mean, deviation, largest) = moments("const:0.5");
  EXPECT_EQ(mean, 0.5);
  std::tie(mean, deviation, largest) = moments("range:1");
  EXPECT_NEAR(mean, 0, 1e-9);
  EXPECT_EQ(readElement(array.getData(), f64), -1);
  EXPECT_EQ(readElement(array.getData() + 8 * 99999, f64), 1);
}

TEST_F(ArrayTest, StreamsDiffer) {
  EXPECT_NE(Random(7, 0).next(), Random(7, 1).next());
  EXPECT_NE(Random(7, 0).next(), Random(8, 0).next());
}

TEST_F(ArrayTest, GapsAreNotFilled) {
  HostArray array = unwrap(HostArray::create(f32, {2, 2}, {4, 2}, 1));
  fill(array, *Initializer::parse("const:1"), Random(0, 0));
  SmallVector<double> contents;
  for (size_t i = 0; i < array.getBytes().size(); i += 4)
    contents.push_back(readElement(array.getBase() + i, f32));
  EXPECT_EQ(contents, SmallVector<double>({0, 1, 0, 1, 0, 1, 0, 1}));
  HostArray copy = unwrap(array.clone());
  EXPECT_EQ(StringRef(copy.getBase(), copy.getBytes().size()),
            StringRef(array.getBase(), array.getBytes().size()));
}

} // namespace
