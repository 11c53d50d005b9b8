//===- TinySums.cpp - Sums that instructions may flush to zero --*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinySums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::xfmr;

/// The bits of 2^-60 and of infinity in f32.
static constexpr int64_t kTiny = 0x21800000, kInfinity = 0x7f800000;

Value TinySums::splat(int64_t value) {
  auto type = VectorType::get({lanes}, builder.getI32Type());
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getI32IntegerAttr(value)));
}

Value TinySums::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value TinySums::getMagnitude(Value sum, Value mask) {
  auto type = VectorType::get({lanes}, builder.getI32Type());
  Value bits = vector::BitCastOp::create(builder, loc, type, sum);
  Value magnitude =
      arith::AndIOp::create(builder, loc, bits, splat(0x7fffffff));
  if (mask)
    magnitude = arith::SelectOp::create(builder, loc, mask, magnitude,
                                        splat(kInfinity));
  return magnitude;
}

Value TinySums::isTiny(Value magnitude) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               magnitude, splat(kTiny));
}

Value TinySums::isAnyTiny(Value magnitude) {
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                     isTiny(magnitude));
}

Value TinySums::emitHasInputs(Value inputs, function_ref<Value(Value)> load) {
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getI16IntegerAttr(0));
  auto loop = scf::ForOp::create(
      builder, loc, index(0), inputs, index(1), none,
      [&](OpBuilder &, Location, Value input, ValueRange args) {
        Value bits = arith::BitcastOp::create(
            builder, loc, builder.getI16Type(), load(input));
        Value any = arith::OrIOp::create(builder, loc, args.front(), bits);
        scf::YieldOp::create(builder, loc, any);
      });
  Value magnitude = arith::AndIOp::create(
      builder, loc, loop.getResult(0),
      arith::ConstantOp::create(builder, loc,
                                builder.getI16IntegerAttr(0x7fff)));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                               magnitude, none);
}

Value TinySums::emitExactSum(Value inputs, function_ref<Value(Value)> loadInput,
                             function_ref<Value(Value)> loadPairs) {
  Type type = builder.getF32Type();
  auto bitsType = VectorType::get({lanes}, builder.getI32Type());
  auto sumType = VectorType::get({lanes}, type);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto widenInput = [&](Value input) -> Value {
    return arith::ExtFOp::create(builder, loc, type, loadInput(input));
  };
  auto loop = scf::ForOp::create(
      builder, loc, index(0), inputs, index(2), zero,
      [&](OpBuilder &, Location, Value input, ValueRange args) {
        Value bits =
            vector::BitCastOp::create(builder, loc, bitsType, loadPairs(input));
        Value odd = arith::AndIOp::create(builder, loc, bits, splat(-65536));
        Value even = arith::ShLIOp::create(builder, loc, bits, splat(16));
        // The last input may be without a partner.
        Value second = arith::AddIOp::create(builder, loc, input, index(1));
        Value isPair = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, second, inputs);
        auto partner = scf::IfOp::create(
            builder, loc, isPair,
            [&](OpBuilder &, Location) {
              scf::YieldOp::create(builder, loc, widenInput(second));
            },
            [&](OpBuilder &, Location) {
              scf::YieldOp::create(builder, loc, none);
            });
        Value first = widenInput(input);
        Value sum = args.front();
        for (auto [factor, weight] :
             {std::pair(partner.getResult(0), odd), std::pair(first, even)})
          sum = math::FmaOp::create(
              builder, loc,
              vector::BroadcastOp::create(builder, loc, sumType, factor),
              vector::BitCastOp::create(builder, loc, sumType, weight), sum);
        scf::YieldOp::create(builder, loc, sum);
      });
  return loop.getResult(0);
}
