//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_NPY_H
#define XFMR_EXECUTIONENGINE_NPY_H

#include "xfmr/ExecutionEngine/HostArray.h"

namespace mlir::xfmr {

/// Reads an array of `elementType` from a .npy file (format 1 to 3). The file's
/// type must be that of the element: `f2`, `f4`, `f8`, `i1` to `i8`, `u1` to
/// `u8`, `b1` for i1, and for bf16, which NumPy lacks, the bits as `u2` or
/// `V2`. What is wrong with the file is one line that begins with its path.
llvm::Expected<HostArray> readNpy(StringRef path, Type elementType);

/// The same from the contents of a file; `path` is for messages.
llvm::Expected<HostArray> parseNpy(StringRef contents, StringRef path,
                                   Type elementType);

/// Writes an array to a .npy file: format 1, little endian, rows first, bf16 as
/// `u2`.
llvm::Error writeNpy(StringRef path, Type elementType, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> strides, const char *data);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_NPY_H
