//===- HiddenValue.h - Values of which LLVM knows nothing -------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_HIDDENVALUE_H
#define XFMR_LIB_CODEGEN_HIDDENVALUE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::xfmr {

/// `value`, of a type of LLVM's, of which LLVM does not know what it is or
/// where it comes from. It stays in a register of the constraint `where`.
inline Value hideInRegister(OpBuilder &builder, Location loc, Value value,
                            StringRef where) {
  return LLVM::InlineAsmOp::create(
             builder, loc, value.getType(), value, /*asm_string=*/"",
             /*constraints=*/("=" + where + ",0").str(),
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr)
      .getResult(0);
}

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_HIDDENVALUE_H
