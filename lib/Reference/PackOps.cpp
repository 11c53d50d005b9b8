//===- PackOps.cpp - Packed weights -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "xfmr/Dialect/IR/Xfmr.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::reference;

static LogicalResult runPackWeight(Interpreter &interpreter, Operation *op) {
  auto pack = cast<PackWeightOp>(op);
  FailureOr<Array> weight = interpreter.array(op, pack.getInput());
  FailureOr<Array> packed = interpreter.array(op, pack.getInit());
  if (failed(weight) || failed(packed))
    return failure();
  bool inOut = pack.getLayout() == WeightLayout::InOut;
  int64_t inputs = weight->shape[inOut ? 0 : 1];
  int64_t outputs = weight->shape[inOut ? 1 : 0];
  int64_t columns = packed->shape[2];
  bool grouped = packed->rank() == 4;
  int64_t group = grouped ? packed->shape[3] : 1;
  SmallVector<int64_t> shape{(outputs + columns - 1) / columns,
                             (inputs + group - 1) / group, columns};
  if (grouped)
    shape.push_back(group);
  if (failed(interpreter.expectShape(op, *packed, shape, "outs")))
    return failure();
  FailureOr<Array> result =
      interpreter.create(op, packed->elementType, packed->shape);
  if (failed(result))
    return failure();
  // The elements of w that are there; the rest are zeros.
  for (int64_t input = 0; input < inputs; ++input)
    for (int64_t output = 0; output < outputs; ++output) {
      SmallVector<int64_t> place{output / columns, input / group,
                                 output % columns};
      if (grouped)
        place.push_back(input % group);
      int64_t from =
          inOut ? weight->at({input, output}) : weight->at({output, input});
      result->set(result->at(place), weight->get(from));
    }
  return interpreter.write(op, *result, *packed);
}

void mlir::xfmr::reference::addPackHandlers(HandlerTable &table) {
  table["xfmr.pack_weight"] = {runPackWeight, "0: elements are copied"};
}
