//===- OneLaneStores.h - Masked stores of one lane as stores ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_EXECUTIONENGINE_ONELANESTORES_H
#define XFMR_LIB_EXECUTIONENGINE_ONELANESTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::xfmr {

/// Makes a store of every masked store whose mask is a constant of one lane.
/// LLVM 22's x86 code generator stores such a lane of a truncated vector as it
/// was before the truncation, and so writes past its end; optimisation may find
/// a mask to be constant that was none in MLIR.
void storeOnlyLanes(llvm::Module &module);

} // namespace mlir::xfmr

#endif // XFMR_LIB_EXECUTIONENGINE_ONELANESTORES_H
