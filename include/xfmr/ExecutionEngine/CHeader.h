//===- CHeader.h - The C header of compiled functions -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_CHEADER_H
#define XFMR_EXECUTIONENGINE_CHEADER_H

#include "xfmr/ExecutionEngine/EntrySignature.h"

namespace mlir::xfmr {

/// What a header says of the file it belongs to.
struct CHeaderInfo {
  /// The name of the source, for the comment at the top.
  std::string source;
  /// The CPUs compiled for, as given.
  std::string cpus;
  /// Functions that use threads need the OpenMP library.
  bool usesThreads = false;
  bool checksDescriptors = true;
};

/// A header that C and C++ programs include to call the functions, with the
/// descriptors' types and who owns what.
std::string makeCHeader(ArrayRef<EntrySignature> signatures,
                        const CHeaderInfo &info);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_CHEADER_H
