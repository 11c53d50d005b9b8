//===- XfmrAttributes.cpp - Attributes of the xfmr dialect -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Dialect/IR/XfmrAttributes.h"
#include "AssemblyFormat.h"
#include "mlir/IR/DialectImplementation.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::xfmr;

#include "xfmr/Dialect/IR/XfmrEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "xfmr/Dialect/IR/XfmrAttributes.cpp.inc"

void XfmrDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "xfmr/Dialect/IR/XfmrAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// RoundingAttr
//===----------------------------------------------------------------------===//

void RoundingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printRoundingBody(printer, *this);
  printer << '>';
}

Attribute RoundingAttr::parse(AsmParser &parser, Type) {
  RoundingAttr rounding;
  if (parser.parseLess() || parseRoundingBody(parser, rounding) ||
      parser.parseGreater())
    return {};
  return rounding;
}

//===----------------------------------------------------------------------===//
// ActivationAttr
//===----------------------------------------------------------------------===//

LogicalResult
ActivationAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       ActivationKind kind, FloatAttr beta, FloatAttr limit,
                       FloatAttr upOffset) {
  StringRef name = stringifyActivationKind(kind);
  bool clamped = kind == ActivationKind::ClampedSwish;
  struct Parameter {
    StringRef name;
    FloatAttr value;
    bool expected;
  };
  for (const Parameter &parameter :
       {Parameter{"beta", beta, clamped || kind == ActivationKind::Swish},
        Parameter{"limit", limit, clamped},
        Parameter{"up_offset", upOffset, clamped}}) {
    if (bool(parameter.value) != parameter.expected)
      return emitError() << "expected activation " << name
                         << (parameter.expected ? " with " : " without ")
                         << parameter.name;
    if (parameter.value && !parameter.value.getType().isF64())
      return emitError() << "expected " << parameter.name
                         << " of type f64, got " << parameter.value.getType();
    if (parameter.value && !parameter.value.getValue().isFinite())
      return emitError() << "expected " << parameter.name << " finite";
  }
  if (limit && !(limit.getValueAsDouble() > 0.0))
    return emitError() << "expected limit > 0";
  return success();
}

void ActivationAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printActivationBody(printer, *this);
  printer << '>';
}

Attribute ActivationAttr::parse(AsmParser &parser, Type) {
  ActivationAttr activation;
  if (parser.parseLess() || parseActivationBody(parser, activation) ||
      parser.parseGreater())
    return {};
  return activation;
}

//===----------------------------------------------------------------------===//
// NormAttr
//===----------------------------------------------------------------------===//

LogicalResult NormAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               NormKind kind, FloatAttr eps, EpsPosition,
                               Statistic statistic, bool unbiased,
                               FloatAttr weightOffset, RoundingAttr) {
  if (!eps || !eps.getType().isF64())
    return emitError() << "expected eps of type f64";
  if (!weightOffset || !weightOffset.getType().isF64())
    return emitError() << "expected weight_offset of type f64";
  if (kind == NormKind::LayerNorm && statistic != Statistic::RMS)
    return emitError() << "expected statistic l2 on an rmsnorm only";
  if (kind == NormKind::RMSNorm && unbiased)
    return emitError() << "expected unbiased on a layernorm only";
  return success();
}

void NormAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyNormKind(getKind()) << ", eps = ";
  printShortest(printer, getEps());
  if (getEpsPosition() != EpsPosition::Inside)
    printer << ", eps_position = " << stringifyEpsPosition(getEpsPosition());
  if (getStatistic() != Statistic::RMS)
    printer << ", statistic = " << stringifyStatistic(getStatistic());
  if (getUnbiased())
    printer << ", unbiased";
  if (!getWeightOffset().getValue().isPosZero()) {
    printer << ", weight_offset = ";
    printShortest(printer, getWeightOffset());
  }
  if (getRounding()) {
    printer << ", rounding = ";
    printRoundingBody(printer, getRounding());
  }
  printer << '>';
}

Attribute NormAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  NormKind kind;
  if (parseEnum(parser, kind))
    return {};
  FloatAttr eps, weightOffset;
  EpsPosition position = EpsPosition::Inside;
  Statistic statistic = Statistic::RMS;
  bool unbiased = false;
  RoundingAttr rounding;
  auto parseValue = [&](StringRef key) -> ParseResult {
    if (key == "unbiased") {
      unbiased = true;
      return success();
    }
    if (parser.parseEqual())
      return failure();
    if (key == "eps")
      return parseF64(parser, eps);
    if (key == "weight_offset")
      return parseF64(parser, weightOffset);
    if (key == "rounding")
      return parseRoundingBody(parser, rounding);
    if (key == "eps_position")
      return parseEnum(parser, position);
    return parseEnum(parser, statistic);
  };
  SmallVector<StringRef> seen;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc keyLoc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key))
      return {};
    static constexpr StringLiteral kKeys[] = {"eps",           "eps_position",
                                              "statistic",     "unbiased",
                                              "weight_offset", "rounding"};
    if (!llvm::is_contained(kKeys, key)) {
      parser.emitError(keyLoc)
          << "expected eps, eps_position, statistic, unbiased, weight_offset "
             "or rounding, got "
          << key;
      return {};
    }
    if (llvm::is_contained(seen, key)) {
      parser.emitError(keyLoc) << "expected " << key << " once";
      return {};
    }
    seen.push_back(key);
    if (parseValue(key))
      return {};
  }
  if (!eps) {
    parser.emitError(loc, "expected eps");
    return {};
  }
  if (parser.parseGreater())
    return {};
  if (!weightOffset)
    weightOffset = parser.getBuilder().getF64FloatAttr(0.0);
  return NormAttr::getChecked([&] { return parser.emitError(loc); },
                              parser.getContext(), kind, eps, position,
                              statistic, unbiased, weightOffset, rounding);
}
