//===- Elements.h - Typed elements in memory -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_REFERENCE_ELEMENTS_H
#define XFMR_REFERENCE_ELEMENTS_H

#include "mlir/IR/Types.h"
#include <cstdint>
#include <optional>

namespace mlir::xfmr::reference {

/// The element types that the reference reads and writes. An i1 is a byte;
/// an index has 64 bits; other integers are signed.
enum class ElementKind { F16, BF16, F32, F64, I1, I8, I16, I32, I64, Index };

/// The kind of an element type; nothing for types that cannot be read.
std::optional<ElementKind> getElementKind(Type type);

/// How many bytes an element takes in memory.
int64_t getElementSize(ElementKind kind);

/// The same; 0 for types that cannot be read.
int64_t getElementSize(Type type);

/// Element `index`, counted in elements from `data`. Every value of every kind
/// is read exactly.
long double readElement(ElementKind kind, const void *data, int64_t index);

/// The same; NaN for types that cannot be read.
long double readElement(Type type, const void *data, int64_t index);

/// Rounds to nearest even and stores. Integers take the low bits of the value
/// rounded toward zero, i1 whether it is not 0.
void writeElement(ElementKind kind, void *data, int64_t index,
                  long double value);

/// The same; nothing is written for types that cannot be read.
void writeElement(Type type, void *data, int64_t index, long double value);

} // namespace mlir::xfmr::reference

#endif // XFMR_REFERENCE_ELEMENTS_H
