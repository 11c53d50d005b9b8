//===- AssemblyFormat.cpp - Custom directives -------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr;

//===----------------------------------------------------------------------===//
// Floating-point numbers
//===----------------------------------------------------------------------===//

std::string xfmr::toShortest(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[32];
  // Plain decimals where they are short, an exponent elsewhere.
  double magnitude = std::fabs(value);
  bool plain = magnitude == 0.0 || (magnitude >= 1e-3 && magnitude < 1e6);
  char *end = std::to_chars(text, text + sizeof(text), value,
                            plain ? std::chars_format::fixed
                                  : std::chars_format::scientific)
                  .ptr;
  auto [mantissa, exponent] = StringRef(text, end - text).split('e');
  std::string result = mantissa.str();
  if (!mantissa.contains('.'))
    result += ".0";
  return exponent.empty() ? result : result + "e" + exponent.str();
}

void xfmr::printShortest(AsmPrinter &printer, FloatAttr value) {
  if (value.getValue().isFinite())
    printer << toShortest(value.getValueAsDouble());
  else // Only as bits can these be read back.
    printer.printAttributeWithoutType(value);
}

ParseResult xfmr::parseF64(AsmParser &parser, FloatAttr &value) {
  return parser.parseAttribute(value, parser.getBuilder().getF64Type());
}

void xfmr::printFloat(OpAsmPrinter &printer, Operation *, FloatAttr value) {
  printShortest(printer, value);
}

ParseResult xfmr::parseFloat(OpAsmParser &parser, FloatAttr &value) {
  return parseF64(parser, value);
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

void xfmr::printRoundingBody(AsmPrinter &printer, RoundingAttr rounding) {
  printer << stringifyRoundingMode(rounding.getMode());
  if (Type storage = rounding.getStorage())
    printer << '<' << storage << '>';
}

ParseResult xfmr::parseRoundingBody(AsmParser &parser, RoundingAttr &rounding) {
  RoundingMode mode;
  if (parseEnum(parser, mode))
    return failure();
  Type storage;
  if (succeeded(parser.parseOptionalLess()))
    if (parser.parseType(storage) || parser.parseGreater())
      return failure();
  rounding = RoundingAttr::get(parser.getContext(), mode, storage);
  return success();
}

void xfmr::printRounding(OpAsmPrinter &printer, Operation *,
                         RoundingAttr rounding) {
  printRoundingBody(printer, rounding);
}

ParseResult xfmr::parseRounding(OpAsmParser &parser, RoundingAttr &rounding) {
  return parseRoundingBody(parser, rounding);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

void xfmr::printActivationBody(AsmPrinter &printer, ActivationAttr activation) {
  printer << stringifyActivationKind(activation.getKind());
  auto print = [&](StringRef key, FloatAttr value) {
    if (!value)
      return;
    printer << ", " << key << " = ";
    printShortest(printer, value);
  };
  print("limit", activation.getLimit());
  print("beta", activation.getBeta());
  print("up_offset", activation.getUpOffset());
}

ParseResult xfmr::parseActivationBody(AsmParser &parser,
                                      ActivationAttr &activation) {
  SMLoc loc = parser.getCurrentLocation();
  ActivationKind kind;
  if (parseEnum(parser, kind))
    return failure();
  FloatAttr beta, limit, upOffset;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc keyLoc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key))
      return failure();
    FloatAttr *slot = key == "beta"        ? &beta
                      : key == "limit"     ? &limit
                      : key == "up_offset" ? &upOffset
                                           : nullptr;
    if (!slot)
      return parser.emitError(keyLoc)
             << "expected beta, limit or up_offset, got " << key;
    if (*slot)
      return parser.emitError(keyLoc) << "expected " << key << " once";
    if (parser.parseEqual() || parseF64(parser, *slot))
      return failure();
  }
  activation = ActivationAttr::getChecked([&] { return parser.emitError(loc); },
                                          parser.getContext(), kind, beta,
                                          limit, upOffset);
  return success(activation != nullptr);
}

void xfmr::printActivation(OpAsmPrinter &printer, Operation *,
                           ActivationAttr activation) {
  printActivationBody(printer, activation);
}

ParseResult xfmr::parseActivation(OpAsmParser &parser,
                                  ActivationAttr &activation) {
  return parseActivationBody(parser, activation);
}

//===----------------------------------------------------------------------===//
// Weight layouts
//===----------------------------------------------------------------------===//

namespace {
/// A weight's name in the assembly, and the layouts that it stands for.
struct LayoutKey {
  StringRef name;
  SmallVector<WeightLayoutAttr *, 2> slots;
};
} // namespace

/// Parses one layout for all weights, or `key = layout` for each.
static ParseResult parseLayouts(OpAsmParser &parser, ArrayRef<LayoutKey> keys,
                                ArrayRef<WeightLayoutAttr *> all) {
  MLIRContext *context = parser.getContext();
  auto parseLayout = [&](SMLoc loc, StringRef keyword,
                         WeightLayoutAttr &layout) -> ParseResult {
    std::optional<WeightLayout> parsed = symbolizeWeightLayout(keyword);
    if (!parsed)
      return parser.emitError(loc)
             << "expected in_out or out_in, got " << keyword;
    layout = WeightLayoutAttr::get(context, *parsed);
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  if (symbolizeWeightLayout(keyword)) {
    WeightLayoutAttr layout;
    if (parseLayout(loc, keyword, layout))
      return failure();
    for (WeightLayoutAttr *slot : all)
      *slot = layout;
    return success();
  }
  while (true) {
    const LayoutKey *key = llvm::find_if(
        keys, [&](const LayoutKey &k) { return k.name == keyword; });
    if (key == keys.end())
      return parser.emitError(loc)
             << "expected in_out, out_in or the name of a weight, got "
             << keyword;
    StringRef layoutKeyword;
    if (parser.parseEqual())
      return failure();
    SMLoc layoutLoc = parser.getCurrentLocation();
    WeightLayoutAttr layout;
    if (parser.parseKeyword(&layoutKeyword) ||
        parseLayout(layoutLoc, layoutKeyword, layout))
      return failure();
    for (WeightLayoutAttr *slot : key->slots) {
      if (*slot)
        return parser.emitError(loc)
               << "expected the layout of each weight once";
      *slot = layout;
    }
    if (failed(parser.parseOptionalComma()))
      break;
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
  }
  if (llvm::any_of(all, [](WeightLayoutAttr *slot) { return !*slot; }))
    return parser.emitError(loc) << "expected the layout of every weight";
  return success();
}

void xfmr::printUpDownLayout(OpAsmPrinter &printer, Operation *,
                             WeightLayoutAttr up, WeightLayoutAttr down) {
  if (up == down)
    printer << stringifyWeightLayout(up.getValue());
  else
    printer << "up = " << stringifyWeightLayout(up.getValue())
            << ", down = " << stringifyWeightLayout(down.getValue());
}

ParseResult xfmr::parseUpDownLayout(OpAsmParser &parser, WeightLayoutAttr &up,
                                    WeightLayoutAttr &down) {
  LayoutKey keys[] = {{"up", {&up}}, {"down", {&down}}};
  return parseLayouts(parser, keys, {&up, &down});
}

void xfmr::printGateUpDownLayout(OpAsmPrinter &printer, Operation *,
                                 WeightLayoutAttr gate, WeightLayoutAttr up,
                                 WeightLayoutAttr down) {
  if (gate == up && up == down) {
    printer << stringifyWeightLayout(down.getValue());
    return;
  }
  if (gate == up)
    printer << "gate_up = " << stringifyWeightLayout(gate.getValue());
  else
    printer << "gate = " << stringifyWeightLayout(gate.getValue())
            << ", up = " << stringifyWeightLayout(up.getValue());
  printer << ", down = " << stringifyWeightLayout(down.getValue());
}

ParseResult xfmr::parseGateUpDownLayout(OpAsmParser &parser,
                                        WeightLayoutAttr &gate,
                                        WeightLayoutAttr &up,
                                        WeightLayoutAttr &down) {
  LayoutKey keys[] = {{"gate", {&gate}},
                      {"up", {&up}},
                      {"gate_up", {&gate, &up}},
                      {"down", {&down}}};
  return parseLayouts(parser, keys, {&gate, &up, &down});
}
