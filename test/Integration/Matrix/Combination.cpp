//===- Combination.cpp - One op with one choice of its variants -----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combination.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::xfmr::test;
using llvm::StringRef;

static bool isRowSymbol(StringRef symbol) {
  return symbol == "r" || symbol == "b";
}

FunctionWriter::FunctionWriter(std::string op, const Choice &choice,
                               Sizes staticSizes)
    : staticSizes(std::move(staticSizes)), shapes(choice["shapes"]) {
  combination.op = std::move(op);
  combination.description = choice.describe();
  combination.storage = choice["storage"].str();
}

bool FunctionWriter::isDynamic(StringRef symbol, bool isWeight) const {
  if (shapes == "static")
    return false;
  if (shapes == "dynamic")
    return true;
  if (shapes == "mixed")
    return isRowSymbol(symbol);
  return !isWeight; // beside
}

std::string FunctionWriter::type(StringRef element,
                                 const std::vector<Dim> &dims,
                                 bool isWeight) const {
  std::string text = onTensors() ? "tensor<" : "memref<";
  for (const Dim &dim : dims)
    text += (!dim.symbol.empty() && isDynamic(dim.symbol, isWeight)
                 ? "?"
                 : std::to_string(dim.get(staticSizes))) +
            "x";
  text += element.str();
  if (combination.storage == "strided") {
    std::vector<std::string> open(dims.size(), "?");
    text += ", strided<[" + llvm::join(open, ", ") + "], offset: ?>";
  }
  return text + ">";
}

std::string FunctionWriter::argument(const std::string &name, StringRef element,
                                     std::vector<Dim> dims, Content content,
                                     unsigned innerDims) {
  bool isWeight = content == Content::Weight || content == Content::Gamma ||
                  content == Content::Bias;
  argumentTypes.push_back(type(element, dims, isWeight));
  combination.arguments.push_back(
      {name, element.str(), std::move(dims), content, innerDims});
  return "%" + name + " : " + argumentTypes.back();
}

std::string FunctionWriter::destination(const std::string &name,
                                        StringRef element,
                                        std::vector<Dim> dims,
                                        unsigned innerDims) {
  return argument(name, element, std::move(dims), Content::Destination,
                  innerDims);
}

Combination
FunctionWriter::finish(const std::string &body,
                       const std::vector<std::string> &resultOrder) {
  std::vector<std::string> signature, types, values;
  for (auto [plan, text] :
       llvm::zip_equal(combination.arguments, argumentTypes))
    signature.push_back("%" + plan.name + ": " + text +
                        (marksWeights && plan.content == Content::Weight
                             ? " {xfmr.weight}"
                             : ""));
  for (const std::string &name : resultOrder)
    for (auto [index, plan] : llvm::enumerate(combination.arguments))
      if (plan.name == name) {
        combination.results.push_back(index);
        types.push_back(argumentTypes[index]);
        values.push_back("%result#" + std::to_string(values.size()));
      }
  // The name is put in later, when the combination has its number.
  std::string text =
      "func.func @$NAME(" + llvm::join(signature, ",\n    ") + ")";
  if (onTensors()) {
    text += " -> (" + llvm::join(types, ", ") +
            ") {\n  %result:" + std::to_string(types.size()) + " = " + body +
            "\n      -> " + llvm::join(types, ", ") + "\n  return " +
            llvm::join(values, ", ") + " : " + llvm::join(types, ", ") +
            "\n}\n";
  } else {
    text += " {\n  " + body + "\n  return\n}\n";
    combination.results.clear();
  }
  combination.text = std::move(text);
  return std::move(combination);
}

std::vector<Parameter>
mlir::xfmr::test::getShapeParameters(std::vector<std::string> sizeNames) {
  return {{"storage", {"tensor", "memref", "strided"}},
          {"shapes", {"dynamic", "static", "mixed", "beside"}},
          {"rank", {"rows", "vector", "units", "batch"}},
          {"size", std::move(sizeNames)}};
}

std::vector<Dim> mlir::xfmr::test::getRowDims(const Choice &choice) {
  StringRef rank = choice["rank"];
  if (rank == "vector")
    return {};
  if (rank == "units")
    return {{"", 1}, {"r"}, {"", 1}};
  if (rank == "batch")
    return {{"b"}, {"r"}};
  return {{"r"}};
}

std::vector<Sizes>
mlir::xfmr::test::getRuns(const Choice &choice,
                          const std::map<std::string, Sizes> &all) {
  const Sizes &chosen = all.at(choice["size"].str());
  std::vector<Sizes> runs{chosen};
  if (choice["shapes"] == "static")
    return runs;
  auto add = [&](const Sizes &sizes) {
    if (!llvm::is_contained(runs, sizes))
      runs.push_back(sizes);
  };
  if (choice["shapes"] == "dynamic")
    for (const auto &[name, sizes] : all)
      add(sizes);
  // The inner dims are as chosen, and the rows are as many as one likes.
  else
    for (int64_t rows : {0, 1, 2, 7}) {
      Sizes sizes = chosen;
      sizes["r"] = rows;
      add(sizes);
    }
  return runs;
}

bool mlir::xfmr::test::isNoWider(const Choice &choice, StringRef parameter) {
  StringRef type = choice[parameter], data = choice["data"];
  return type.empty() || data.empty() || type == "data" || type == "none" ||
         getWidth(type) <= getWidth(getAccumulator(data));
}
