//===- AssemblyFormat.h - Custom directives ---------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_IR_ASSEMBLYFORMAT_H
#define XFMR_LIB_DIALECT_IR_ASSEMBLYFORMAT_H

#include "xfmr/Dialect/IR/XfmrAttributes.h"

namespace mlir::xfmr {

/// A keyword of the enumeration `Enum`; an error names them all.
template <typename Enum> ParseResult parseEnum(AsmParser &parser, Enum &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  if (std::optional<Enum> parsed = symbolizeEnum<Enum>(keyword)) {
    value = *parsed;
    return success();
  }
  // The values are numbered from 0.
  auto name = [](uint32_t i) { return stringifyEnum(static_cast<Enum>(i)); };
  InFlightDiagnostic error = parser.emitError(loc, "expected ");
  for (uint32_t i = 0; !name(i).empty(); ++i)
    error << (i == 0 ? "" : name(i + 1).empty() ? " or " : ", ") << name(i);
  return error << ", got " << keyword;
}

/// The shortest decimal that reads back to the same f64: 1.0e-06, where the
/// default printer writes 9.9999999999999995E-7. Also for messages.
std::string toShortest(double value);
void printShortest(AsmPrinter &printer, FloatAttr value);
ParseResult parseF64(AsmParser &parser, FloatAttr &value);

/// `cast_then_scale`, `cast_then_scale<bf16>` or `scale_then_cast`.
void printRoundingBody(AsmPrinter &printer, RoundingAttr rounding);
ParseResult parseRoundingBody(AsmParser &parser, RoundingAttr &rounding);

/// `silu` or `swish, beta = 1.5`.
void printActivationBody(AsmPrinter &printer, ActivationAttr activation);
ParseResult parseActivationBody(AsmParser &parser, ActivationAttr &activation);

// The directives `custom<...>` of the op definitions.
template <typename EnumAttr>
void printKeyword(OpAsmPrinter &printer, Operation *, EnumAttr value) {
  printer << stringifyEnum(value.getValue());
}
template <typename EnumAttr>
ParseResult parseKeyword(OpAsmParser &parser, EnumAttr &value) {
  decltype(value.getValue()) keyword;
  if (parseEnum(parser, keyword))
    return failure();
  value = EnumAttr::get(parser.getContext(), keyword);
  return success();
}
void printFloat(OpAsmPrinter &printer, Operation *, FloatAttr value);
ParseResult parseFloat(OpAsmParser &parser, FloatAttr &value);
void printRounding(OpAsmPrinter &printer, Operation *, RoundingAttr rounding);
ParseResult parseRounding(OpAsmParser &parser, RoundingAttr &rounding);
void printActivation(OpAsmPrinter &printer, Operation *,
                     ActivationAttr activation);
ParseResult parseActivation(OpAsmParser &parser, ActivationAttr &activation);
void printUpDownLayout(OpAsmPrinter &printer, Operation *, WeightLayoutAttr up,
                       WeightLayoutAttr down);
ParseResult parseUpDownLayout(OpAsmParser &parser, WeightLayoutAttr &up,
                              WeightLayoutAttr &down);
void printGateUpDownLayout(OpAsmPrinter &printer, Operation *,
                           WeightLayoutAttr gate, WeightLayoutAttr up,
                           WeightLayoutAttr down);
ParseResult parseGateUpDownLayout(OpAsmParser &parser, WeightLayoutAttr &gate,
                                  WeightLayoutAttr &up, WeightLayoutAttr &down);

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_IR_ASSEMBLYFORMAT_H
