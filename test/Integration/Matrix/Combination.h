//===- Combination.h - One op with one choice of its variants ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_INTEGRATION_MATRIX_COMBINATION_H
#define XFMR_TEST_INTEGRATION_MATRIX_COMBINATION_H

#include "Covering.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlir::xfmr::test {

/// What the sizes' names stand for in one run.
using Sizes = std::map<std::string, int64_t>;

/// A dim: `factor` times the size of that name; `factor` alone without a name.
struct Dim {
  std::string symbol;
  int64_t factor = 1;

  int64_t get(const Sizes &sizes) const {
    return symbol.empty() ? factor : factor * sizes.at(symbol);
  }
};

/// What an argument holds.
enum class Content {
  /// Rows, some of them special: zeros, a large mean, a NaN, an infinity.
  Data,
  /// Rows that are zero where those of `Data` are, otherwise ordinary.
  Branch,
  /// A matrix, scaled by the number of its inputs.
  Weight,
  /// A gamma, about 1.
  Gamma,
  /// A beta or another bias, about 0.
  Bias,
  /// True or false at random.
  Mask,
  /// Written by the function: holds NaN before.
  Destination
};

struct ArgumentPlan {
  std::string name, element;
  std::vector<Dim> dims;
  Content content;
  /// How many trailing dims are one row.
  unsigned innerDims = 1;
};

/// One function with one op, and the sizes to run it with.
struct Combination {
  std::string op, name, description;
  std::vector<ArgumentPlan> arguments;
  /// The arguments that the function returns, on tensors.
  std::vector<size_t> results;
  /// `tensor`, `memref` or `strided`.
  std::string storage;
  /// The function's text.
  std::string text;
  std::vector<Sizes> runs;
  /// Contents stay moderate: sums of products would overflow f16 otherwise.
  bool moderate = false;
  /// The first dim of data is called `r`, is dynamic, and a row's bits are the
  /// same whichever other rows there are: always, or under `batch-invariant`.
  bool rowsAreIndependent = false;
  bool rowsNeedBatchInvariant = false;
};

/// Writes a function: arguments with their types, then the op.
class FunctionWriter {
public:
  /// Dims are static, dynamic, or by name: `mixed` has dynamic rows alone,
  /// `beside` has dynamic data beside static weights.
  FunctionWriter(std::string op, const Choice &choice, Sizes staticSizes);

  /// Adds an argument; gives `%name : type`.
  std::string argument(const std::string &name, llvm::StringRef element,
                       std::vector<Dim> dims, Content content,
                       unsigned innerDims = 1);
  /// Adds a destination, whose type becomes one of the results' types.
  std::string destination(const std::string &name, llvm::StringRef element,
                          std::vector<Dim> dims, unsigned innerDims = 1);
  /// Matrices are marked as weights, which the back end packs outside of the
  /// function.
  void markWeights() { marksWeights = true; }
  /// The type of an array with these dims.
  std::string type(llvm::StringRef element, const std::vector<Dim> &dims,
                   bool isWeight) const;

  bool onTensors() const { return combination.storage == "tensor"; }
  bool isDynamic(llvm::StringRef symbol, bool isWeight) const;

  /// Ends the function: `body` is the op without its results. `resultOrder`
  /// names the destinations in the op's order of results.
  Combination finish(const std::string &body,
                     const std::vector<std::string> &resultOrder);

private:
  Combination combination;
  Sizes staticSizes;
  bool marksWeights = false;
  std::string shapes;
  std::vector<std::string> argumentTypes;
};

/// One op's parameters, what is possible, and how to write a choice.
struct OpPlan {
  std::string op;
  std::vector<Parameter> parameters;
  Constraint isPossible;
  std::function<Combination(const Choice &)> write;
};

/// The rows of the matrix: one plan an op.
#define XFMR_PLANS(FAMILY) std::vector<OpPlan> get##FAMILY##Plans();
#include "Plans.def"

//===----------------------------------------------------------------------===//
// What plans share
//===----------------------------------------------------------------------===//

/// Storage, shapes and rank.
std::vector<Parameter> getShapeParameters(std::vector<std::string> sizeNames);

/// The row dims that the choice's rank has, before the inner ones.
std::vector<Dim> getRowDims(const Choice &choice);

/// The runs: of the chosen size alone when all is static, of every size that
/// agrees with the static dims otherwise.
std::vector<Sizes> getRuns(const Choice &choice,
                           const std::map<std::string, Sizes> &all);

inline bool isWide(llvm::StringRef type) {
  return type == "f32" || type == "f64";
}
/// The width in bits of a floating-point type's name.
inline unsigned getWidth(llvm::StringRef type) {
  return type == "f64" ? 64 : type == "f32" ? 32 : 16;
}
inline llvm::StringRef getAccumulator(llvm::StringRef data) {
  return data == "f64" ? "f64" : "f32";
}
/// False when the parameter's type is chosen and wider than the accumulator of
/// the data, chosen too.
bool isNoWider(const Choice &choice, llvm::StringRef parameter);

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_INTEGRATION_MATRIX_COMBINATION_H
