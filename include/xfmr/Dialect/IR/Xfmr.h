//===- Xfmr.h - The dialect: attributes, interfaces and ops -----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMR_H
#define XFMR_DIALECT_IR_XFMR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "xfmr/Dialect/IR/OperandDims.h"
#include "xfmr/Dialect/IR/Specs.h"
#include "xfmr/Dialect/IR/XfmrAttributes.h"

#include "xfmr/Dialect/IR/XfmrDialect.h.inc"
#include "xfmr/Dialect/IR/XfmrInterfaces.h.inc"

#define GET_OP_CLASSES
#include "xfmr/Dialect/IR/XfmrOps.h.inc"

namespace mlir::xfmr {

/// The mark of a function argument that never changes between calls.
inline constexpr llvm::StringLiteral kWeightAttrName = "xfmr.weight";

/// The messages of a function's runtime checks: the status i + 1 that the
/// function returns says that the check with message i failed.
inline constexpr llvm::StringLiteral kStatusMessagesAttrName =
    "xfmr.status_messages";

/// The type in which statistics and products over elements of type `data`
/// accumulate: f64 for f64, f32 for f16, bf16 and f32.
Type getAccumulatorType(Type data);

/// True for the element types of data and weights: f16, bf16, f32, f64.
bool isDataType(Type type);

/// Adds the dialect and its external models (bufferization) to the registry.
void registerXfmrDialect(DialectRegistry &registry);

/// Adds the bufferization of the dialect's ops to the registry.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_IR_XFMR_H
