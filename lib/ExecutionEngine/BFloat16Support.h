//===- BFloat16Support.h - bf16 on processors without it --------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_EXECUTIONENGINE_BFLOAT16SUPPORT_H
#define XFMR_LIB_EXECUTIONENGINE_BFLOAT16SUPPORT_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::xfmr {

/// Makes `module` fit for a processor that has no instructions for bf16: what
/// is only moved is moved as integers, and a conversion that code generation
/// may call is defined in the module.
void supportBFloat16(llvm::Module &module);

} // namespace mlir::xfmr

#endif // XFMR_LIB_EXECUTIONENGINE_BFLOAT16SUPPORT_H
