//===- Interpreter.h - Runs the ops of a function one by one -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_INTERPRETER_H
#define XFMR_LIB_REFERENCE_INTERPRETER_H

#include "Array.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::xfmr::reference {

/// What an SSA value is: a number or an array.
struct RuntimeValue {
  std::optional<Array> array;
  Number number;

  RuntimeValue() = default;
  RuntimeValue(Array array) : array(std::move(array)) {}
  RuntimeValue(Number number) : number(number) {}
};

class Interpreter;
/// The meaning of one kind of op. Errors are reported at the op.
using Handler = LogicalResult (*)(Interpreter &, Operation *);

/// What the reference knows of one kind of op.
struct OpEntry {
  Handler run = nullptr;
  /// How far a correct implementation may be off, in words: for ops of the
  /// dialect. The handler puts it into numbers.
  StringRef bound;

  OpEntry() = default;
  OpEntry(Handler run, StringRef bound = "") : run(run), bound(bound) {}
};
using HandlerTable = llvm::StringMap<OpEntry>;

// Each file of ops adds what it knows.
#define XFMR_HANDLERS(FAMILY) void add##FAMILY##Handlers(HandlerTable &table);
#include "Handlers.def"

/// Runs any op of linalg's structured interface.
LogicalResult runStructuredOp(Interpreter &interpreter, Operation *op);

/// All handlers by op name.
const HandlerTable &getHandlers();

class Interpreter {
public:
  /// With `relaxed`, what numerics=relaxed allows is right as well.
  explicit Interpreter(bool relaxed = false) : relaxed(relaxed) {}

  bool isRelaxed() const { return relaxed; }

  /// Runs a function's body.
  LogicalResult call(func::FuncOp function, ArrayRef<RuntimeValue> arguments,
                     SmallVectorImpl<RuntimeValue> &results);
  /// Runs the ops of a block and gives the terminator's operands.
  LogicalResult runBlock(Block &block, ArrayRef<RuntimeValue> arguments,
                         SmallVectorImpl<RuntimeValue> &results);

  void bind(Value value, RuntimeValue what) {
    frames.back()[value] = std::move(what);
  }
  /// Fails with an error at `user` when the value is not known or is of the
  /// other kind.
  FailureOr<RuntimeValue> lookup(Operation *user, Value value);
  FailureOr<Array> array(Operation *user, Value value);
  FailureOr<Number> number(Operation *user, Value value);
  /// An index that must be certain.
  FailureOr<int64_t> index(Operation *user, OpFoldResult value);
  FailureOr<SmallVector<int64_t>> indices(Operation *user,
                                          ArrayRef<OpFoldResult> values);

  /// A new array, or an error at the op.
  FailureOr<Array> create(Operation *user, Type elementType,
                          ArrayRef<int64_t> shape, bool undefined = false);
  /// The contents of an array as numbers that nothing else can change.
  FailureOr<Array> snapshot(Operation *user, const Array &array);

  /// Hands over what the op computed for its destination `init`: written to a
  /// memref, or bound to the result of a tensor.
  LogicalResult deliver(DestinationStyleOpInterface op, unsigned init,
                        const Array &what);
  /// Copies into an array that may be the caller's memory.
  LogicalResult write(Operation *user, const Array &from, Array to);

  /// An error unless the array has this shape.
  LogicalResult expectShape(Operation *user, const Array &array,
                            ArrayRef<int64_t> shape, StringRef what);

private:
  LogicalResult run(Operation *op);

  const bool relaxed;
  std::vector<llvm::DenseMap<Value, RuntimeValue>> frames;
};

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_INTERPRETER_H
