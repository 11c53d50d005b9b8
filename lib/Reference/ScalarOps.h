//===- ScalarOps.h - Ops on single elements -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_SCALAROPS_H
#define XFMR_LIB_REFERENCE_SCALAROPS_H

#include "Interpreter.h"
#include <functional>

namespace mlir::xfmr::reference {

/// The result of an op, before its rounding, from settled operands.
using ScalarFunction = std::function<Number(const Number *operands)>;

/// The meaning of an arith, math or affine op on elements; null when it has
/// none. A tensor-typed op is taken element by element. With `relaxed`, an
/// exponential has the digits alone that a rounding to a half type leaves.
ScalarFunction getScalarFunction(Operation *op, bool relaxed);

/// The value of an affine expression; nothing for a division by zero.
std::optional<int64_t> evaluateAffine(AffineExpr expression,
                                      ArrayRef<int64_t> dims,
                                      ArrayRef<int64_t> symbols);

/// The names of the ops that have one.
void appendScalarOpNames(SmallVectorImpl<StringRef> &names);

/// Runs such an op on numbers, or on arrays element by element.
LogicalResult runScalarOp(Interpreter &interpreter, Operation *op);

/// The value of a constant attribute: a number or an array.
FailureOr<RuntimeValue> evaluateConstant(Interpreter &interpreter,
                                         Operation *op, TypedAttr attribute);

/// A block of scalar ops, such as the body of a structured op, made ready to be
/// run many times.
class ScalarProgram {
public:
  /// Fails with an error at the op that has no meaning. Values from outside the
  /// block are read now.
  LogicalResult compile(Interpreter &interpreter, Block &block);

  /// Sets the block's argument to a number that is settled already.
  void setArgument(unsigned index, const Number &number) {
    settled[index] = pending[index] = number;
  }
  /// What `linalg.index` gives.
  void setIndices(ArrayRef<int64_t> values) {
    indices->assign(values.begin(), values.end());
  }
  /// False when an index that had to be certain or in bounds was not.
  bool run();

  /// Values after a run: as the ops left them, and as later ops read them.
  const Number &getPending(unsigned slot) const { return pending[slot]; }
  const Number &getSettled(unsigned slot) const { return settled[slot]; }
  /// The slot of a value of the block.
  std::optional<unsigned> getSlot(Value value) const;

private:
  struct Instruction {
    ScalarFunction function;
    SmallVector<unsigned, 3> operands;
    unsigned result;
    std::optional<FloatFormat> format;
    /// A conversion to a narrower type is there to round, to f32 too.
    bool truncates = false;
  };
  /// What an op of the block does, apart from its operands.
  FailureOr<ScalarFunction> getFunction(Interpreter &interpreter,
                                        Operation *op);
  FailureOr<ScalarFunction> getExtract(Interpreter &interpreter, Operation *op,
                                       Value array);
  unsigned addSlot(Value value, const Number &number);

  llvm::DenseMap<Value, unsigned> slots;
  std::vector<Instruction> instructions;
  std::vector<Number> settled, pending;
  std::shared_ptr<std::vector<int64_t>> indices =
      std::make_shared<std::vector<int64_t>>();
  std::shared_ptr<bool> invalid = std::make_shared<bool>(false);
};

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_SCALAROPS_H
