//===- EntrySignature.cpp - What a caller passes to a function ------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/EntrySignature.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/ExecutionEngine/HostArray.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::xfmr;

bool mlir::xfmr::isEntryElementType(Type type) {
  if (isa<IndexType>(type) || isDataType(type))
    return true;
  return type.isInteger(1) || type.isInteger(8) || type.isInteger(16) ||
         type.isInteger(32) || type.isInteger(64);
}

int64_t mlir::xfmr::getElementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::string mlir::xfmr::formatShape(ArrayRef<int64_t> shape, Type elementType) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      os << "?x";
    else
      os << size << 'x';
  }
  os << elementType;
  return text;
}

/// The name of an argument in the source: its location is that of the name.
static std::string getSourceName(BlockArgument argument) {
  auto loc = argument.getLoc()->findInstanceOf<FileLineColLoc>();
  if (!loc)
    return {};
  auto buffer = llvm::MemoryBuffer::getFile(loc.getFilename().getValue());
  if (!buffer)
    return {};
  StringRef text = (*buffer)->getBuffer();
  for (unsigned line = 1; line < loc.getLine(); ++line)
    text = text.split('\n').second;
  text = text.take_until([](char c) { return c == '\n'; })
             .drop_front(std::min<size_t>(loc.getColumn() - 1, text.size()));
  if (!text.consume_front("%"))
    return {};
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; })
      .str();
}

static void nameArguments(func::FuncOp function, EntrySignature &signature) {
  static constexpr StringLiteral keywords[] = {
      "auto",     "bool",     "break",    "case",     "char",     "class",
      "const",    "continue", "default",  "delete",   "do",       "double",
      "else",     "enum",     "extern",   "false",    "float",    "for",
      "goto",     "if",       "inline",   "int",      "long",     "new",
      "operator", "private",  "public",   "register", "restrict", "return",
      "short",    "signed",   "sizeof",   "static",   "struct",   "switch",
      "template", "this",     "true",     "typedef",  "union",    "unsigned",
      "using",    "void",     "volatile", "while"};
  llvm::StringSet<> used;
  for (auto [index, value] : llvm::enumerate(signature.arguments)) {
    std::string name = getSourceName(function.getArgument(index));
    if (name.empty() || llvm::isDigit(name.front()) ||
        llvm::is_contained(keywords, name) ||
        StringRef(name).starts_with("result"))
      name = "arg" + name;
    if (name == "arg" || !used.insert(name).second) {
      name = "arg" + std::to_string(index);
      while (!used.insert(name).second)
        name += '_';
    }
    value.name = name;
  }
  for (auto [index, value] : llvm::enumerate(signature.results))
    value.name = "result" + std::to_string(index);
}

llvm::Expected<EntryValue> mlir::xfmr::getEntryValue(Type type) {
  EntryValue value;
  value.type = type;
  auto shaped = dyn_cast<ShapedType>(type);
  value.elementType = shaped ? shaped.getElementType() : type;
  value.isScalar = !shaped;
  bool passable = isEntryElementType(value.elementType) &&
                  (!shaped || isa<RankedTensorType, MemRefType>(type));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    passable &= !tensor.getEncoding();
  if (passable && shaped) {
    value.shape = llvm::to_vector(shaped.getShape());
    if (auto memref = dyn_cast<MemRefType>(type)) {
      value.isIdentityLayout = memref.getLayout().isIdentity();
      passable =
          succeeded(memref.getStridesAndOffset(value.strides, value.offset));
      passable &= llvm::none_of(value.strides, [](int64_t stride) {
        return stride < 0 && !ShapedType::isDynamic(stride);
      });
    }
  }
  if (!passable)
    return llvm::createStringError(
        "type '" + llvm::to_string(type) +
        "' cannot be passed: expected a ranked tensor or strided memref of, or "
        "a scalar f16, bf16, f32, f64, index or integer of 1, 8, 16, 32 or 64 "
        "bits");
  return value;
}

llvm::Expected<EntrySignature> EntrySignature::get(func::FuncOp function) {
  EntrySignature signature;
  signature.name = function.getName().str();
  auto add = [&](SmallVector<EntryValue> &values, TypeRange types,
                 StringRef what) -> llvm::Error {
    for (auto [index, type] : llvm::enumerate(types)) {
      llvm::Expected<EntryValue> value = getEntryValue(type);
      if (!value)
        return llvm::createStringError(
            what + " " + Twine(index) + " of '" + signature.name +
            "': " + llvm::toString(value.takeError()));
      value->sourceArgument = index;
      values.push_back(std::move(*value));
    }
    return llvm::Error::success();
  };
  if (llvm::Error error =
          add(signature.arguments, function.getArgumentTypes(), "argument"))
    return error;
  if (llvm::Error error =
          add(signature.results, function.getResultTypes(), "result"))
    return error;
  for (auto [index, value] : llvm::enumerate(signature.arguments))
    value.isWeight = !!function.getArgAttr(index, kWeightAttrName);
  nameArguments(function, signature);
  return signature;
}

SmallVector<func::FuncOp> mlir::xfmr::getPublicFunctions(ModuleOp module) {
  return llvm::filter_to_vector(
      module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isPublic() && !function.isDeclaration();
      });
}

llvm::Expected<func::FuncOp> mlir::xfmr::findEntry(ModuleOp module,
                                                   StringRef name) {
  SmallVector<func::FuncOp> functions = getPublicFunctions(module);
  if (functions.empty())
    return llvm::createStringError("the module has no public function");
  std::string names = llvm::join(
      llvm::map_range(functions,
                      [](func::FuncOp function) { return function.getName(); }),
      ", ");
  if (name.empty() && functions.size() > 1)
    return llvm::createStringError("the module has several functions, choose "
                                   "one with --entry: " +
                                   names);
  for (func::FuncOp function : functions)
    if (name.empty() || function.getName() == name)
      return function;
  return llvm::createStringError("no public function '" + name +
                                 "', the module has: " + names);
}
