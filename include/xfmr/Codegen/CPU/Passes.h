//===- Passes.h - Passes of the CPU back end --------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_CODEGEN_CPU_PASSES_H
#define XFMR_CODEGEN_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::xfmr {

#define GEN_PASS_DECL
#include "xfmr/Codegen/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "xfmr/Codegen/CPU/Passes.h.inc"

} // namespace mlir::xfmr

#endif // XFMR_CODEGEN_CPU_PASSES_H
