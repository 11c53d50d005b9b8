//===- PackedWeights.cpp - Functions whose weights are packed -------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Dialect/IR/PackedWeights.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::xfmr;

static constexpr StringLiteral kArgument = "argument", kPacked = "packed",
                               kSizesOnly = "sizes_only", kInPlace = "in_place";

ArrayAttr mlir::xfmr::getPackedWeightsAttr(MLIRContext *context,
                                           ArrayRef<PackedArgument> arguments) {
  Builder builder(context);
  auto attributes = llvm::map_to_vector(
      arguments, [&](const PackedArgument &argument) -> Attribute {
        NamedAttrList entries;
        entries.append(kArgument, builder.getI64IntegerAttr(argument.argument));
        if (argument.packed)
          entries.append(kPacked, TypeAttr::get(argument.packed));
        if (argument.sizesOnly)
          entries.append(kSizesOnly, builder.getUnitAttr());
        if (argument.mayBeInPlace)
          entries.append(kInPlace, builder.getUnitAttr());
        return entries.getDictionary(context);
      });
  return builder.getArrayAttr(attributes);
}

SmallVector<PackedArgument>
mlir::xfmr::getPackedArguments(Operation *function) {
  auto attribute = function->getAttrOfType<ArrayAttr>(kPackedWeightsAttrName);
  if (!attribute)
    return {};
  SmallVector<PackedArgument> arguments;
  for (Attribute element : attribute) {
    auto entries = dyn_cast<DictionaryAttr>(element);
    auto argument = entries ? entries.getAs<IntegerAttr>(kArgument) : nullptr;
    if (!argument || argument.getInt() < 0)
      return {};
    PackedArgument result;
    result.argument = argument.getInt();
    if (auto packed = entries.getAs<TypeAttr>(kPacked)) {
      result.packed = dyn_cast<MemRefType>(packed.getValue());
      if (!result.packed)
        return {};
    }
    result.sizesOnly = bool(entries.get(kSizesOnly));
    result.mayBeInPlace = bool(entries.get(kInPlace));
    arguments.push_back(result);
  }
  return arguments;
}
