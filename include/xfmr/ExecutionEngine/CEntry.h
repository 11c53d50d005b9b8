//===- CEntry.h - The C interface of compiled functions ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled function `block` is called from C as
//
//   int32_t block(const D0 *x, ..., E0 *result0, ...);
//   const char *block_error_message(int32_t status);
//
// with a pointer to the descriptor of every array, scalars by value (f16 and
// bf16 as the uint16_t of their bits), and a pointer for every result, to which
// it is written. A descriptor is { allocated, aligned, offset, sizes[],
// strides[] }: element i, j is aligned[offset + i * strides[0] + j *
// strides[1]]. Sizes and strides count elements; elements need no alignment
// beyond their own.
//
// The status is 0, or tells what was wrong: the function then did nothing, and
// the descriptors of results are zero. Arguments stay the caller's. A result
// whose `allocated` is that of an argument is that argument's memory (its
// destination, written in place); any other is the caller's to free(), by the
// `allocated` pointer. Functions hold no state: they may be called from several
// threads at once, on arguments that do not overlap where one is written.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_CENTRY_H
#define XFMR_EXECUTIONENGINE_CENTRY_H

#include "xfmr/ExecutionEngine/EntrySignature.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace mlir::xfmr {

/// What every lowered function of a module returns as its last result, by the
/// pass xfmr-runtime-checks-to-status: message i belongs to status i + 1.
SmallVector<std::string> getStatusMessages(ModuleOp lowered);

/// The messages of the checks of the descriptors that `addCEntry` makes.
SmallVector<std::string> getDescriptorMessages(const EntrySignature &signature);

/// Whether `name` can be the name of a C function.
bool isCIdentifier(StringRef name);

/// Adds the C function `symbol` for the lowered function of `signature`, which
/// loses its name to it and becomes internal. When `checkDescriptors` is set,
/// static sizes and row-major layouts are checked: message i of
/// `getDescriptorMessages` has the status `firstStatus + i`.
llvm::Expected<llvm::Function *>
addCEntry(llvm::Module &module, const EntrySignature &signature,
          StringRef symbol, bool checkDescriptors, int32_t firstStatus);

/// Adds `<name>_error_message`, which gives the message of a status. Statuses
/// count from 1; -1 has the message `unsupported`, if that is not empty.
void addErrorMessageFunction(llvm::Module &module, StringRef name,
                             ArrayRef<std::string> messages,
                             StringRef unsupported = {});

/// Adds `symbol`, which calls `entry` with its arguments from an array of
/// pointers: to descriptors, to scalars and to results.
void addPackedEntry(llvm::Module &module, llvm::Function &entry,
                    StringRef symbol);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_CENTRY_H
