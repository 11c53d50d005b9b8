//===- EntrySignature.h - What a caller passes to a function ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_ENTRYSIGNATURE_H
#define XFMR_EXECUTIONENGINE_ENTRYSIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::xfmr {

/// An argument or a result of an entry function: a scalar, or an array that is
/// passed by a pointer to its descriptor.
struct EntryValue {
  /// The name in the source without its `%`, made a C identifier; `arg0` or
  /// `result0` where there is none.
  std::string name;
  /// The type as written in the source.
  Type type;
  /// The type of an element; for a scalar, of the value.
  Type elementType;
  bool isScalar = false;
  /// Marked `{xfmr.weight}`.
  bool isWeight = false;
  /// The name of the weight that this is the packed form of: row-major memory,
  /// aligned for vectors, whose sizes depend on the CPU.
  std::string packedFrom;
  /// Nothing but the sizes is read.
  bool sizesOnly = false;
  /// Of a packed weight that a function packs: it may have the weight's own
  /// memory, if that is as large.
  bool mayBeInPlace = false;
  /// The number of the argument in the source; that of the weight for a packed
  /// one.
  unsigned sourceArgument = 0;
  /// Rows follow each other without gaps, the last dimension innermost.
  bool isIdentityLayout = true;
  /// Sizes, and for another layout strides and offset, in elements; where the
  /// type leaves them open, ShapedType::kDynamic.
  SmallVector<int64_t> shape;
  SmallVector<int64_t> strides;
  int64_t offset = 0;

  int64_t getRank() const { return shape.size(); }
  bool isPacked() const { return !packedFrom.empty(); }
};

/// The signature of an entry function: as it is in the source, or as lowering
/// made it for packed weights (PackedSignatures.h).
struct EntrySignature {
  enum class Role {
    /// What the source describes.
    Function,
    /// Packs the weights of `function`.
    PackWeights,
    /// Gives the sizes of the packed weights of `function`.
    PackedSizes
  };

  std::string name;
  Role role = Role::Function;
  /// The function that another role is for.
  std::string function;
  SmallVector<EntryValue> arguments;
  SmallVector<EntryValue> results;

  /// The signature of `function`, which has a body; an error names a type that
  /// cannot be passed.
  static llvm::Expected<EntrySignature> get(func::FuncOp function);
};

/// An argument or a result of this type; an error names a type that cannot be
/// passed.
llvm::Expected<EntryValue> getEntryValue(Type type);

/// The function to run: the public one called `name`, or the only public one
/// when `name` is empty.
llvm::Expected<func::FuncOp> findEntry(ModuleOp module, StringRef name);

/// All public functions with a body.
SmallVector<func::FuncOp> getPublicFunctions(ModuleOp module);

/// True for the element types that arrays and scalars may have: f16, bf16, f32,
/// f64, index and integers of 1, 8, 16, 32 or 64 bits.
bool isEntryElementType(Type type);

/// Bytes that an element takes in memory.
int64_t getElementBytes(Type type);

/// `128x576xbf16`.
std::string formatShape(ArrayRef<int64_t> shape, Type elementType);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_ENTRYSIGNATURE_H
