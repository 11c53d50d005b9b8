//===- VectorCode.h - LLVM's passes for code in vectors ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_EXECUTIONENGINE_VECTORCODE_H
#define XFMR_LIB_EXECUTIONENGINE_VECTORCODE_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::xfmr {

/// Whether all inner loops of `module` are written as they are to be: in
/// vectors, as many a step as registers hold. Such loops say that they are not
/// to be unrolled.
bool isVectorCode(llvm::Module &module);

/// What such code needs of LLVM's passes: values that are the same computed
/// once, in front of loops where they can be, and branches simplified. LLVM's
/// own pipeline, which makes vector code of scalar code, takes five times as
/// long and finds nothing more.
llvm::Error optimizeVectorCode(llvm::Module &module,
                               llvm::TargetMachine &machine);

} // namespace mlir::xfmr

#endif // XFMR_LIB_EXECUTIONENGINE_VECTORCODE_H
