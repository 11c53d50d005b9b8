//===- CacheLine.h - The size of a cache line -------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_CACHELINE_H
#define XFMR_LIB_CODEGEN_CPU_CACHELINE_H

#include <cstdint>

namespace mlir::xfmr {

/// Bytes of a cache line, of all CPUs known; elsewhere too many or too few
/// prefetches do no harm.
constexpr int64_t kCacheLineBytes = 64;

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_CACHELINE_H
