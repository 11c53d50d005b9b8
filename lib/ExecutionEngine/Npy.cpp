//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Npy.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace mlir::xfmr;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "arrays are read and written as they are in memory");

static constexpr StringLiteral kMagic("\x93NUMPY");

namespace {

/// What the header of a .npy file says.
struct NpyHeader {
  std::string type;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;
};

/// Reads the header's text, the literal of a Python dictionary.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  /// The header, or nothing when the text is not one.
  std::optional<NpyHeader> parse() {
    NpyHeader header;
    bool hasType = false, hasOrder = false, hasShape = false;
    if (!consume('{'))
      return std::nullopt;
    while (!consume('}')) {
      std::optional<std::string> key = parseString();
      if (!key || !consume(':'))
        return std::nullopt;
      if (*key == "descr") {
        std::optional<std::string> type = parseString();
        hasType = type.has_value();
        if (hasType)
          header.type = *type;
        else if (!skipToFollowingKey())
          return std::nullopt;
      } else if (*key == "fortran_order") {
        hasOrder = true;
        if (consumeWord("True"))
          header.fortranOrder = true;
        else if (!consumeWord("False"))
          return std::nullopt;
      } else if (*key == "shape") {
        hasShape = true;
        if (!parseShape(header.shape))
          return std::nullopt;
      } else {
        return std::nullopt;
      }
      if (!consume(',') && !text.ltrim().starts_with("}"))
        return std::nullopt;
    }
    // A type that is no string is that of a record.
    if (!hasType)
      header.type = "a record";
    if (!hasOrder || !hasShape)
      return std::nullopt;
    return header;
  }

private:
  bool consume(char c) {
    text = text.ltrim();
    return text.consume_front(StringRef(&c, 1));
  }
  bool consumeWord(StringRef word) {
    text = text.ltrim();
    return text.consume_front(word);
  }
  std::optional<std::string> parseString() {
    text = text.ltrim();
    if (text.empty() || (text.front() != '\'' && text.front() != '"'))
      return std::nullopt;
    size_t end = text.find(text.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    std::string result = text.slice(1, end).str();
    text = text.drop_front(end + 1);
    return result;
  }
  /// A record's type is a list; its insides do not matter.
  bool skipToFollowingKey() {
    if (!consume('['))
      return false;
    for (int depth = 1; depth > 0; text = text.drop_front()) {
      if (text.empty())
        return false;
      depth += (text.front() == '[') - (text.front() == ']');
    }
    return true;
  }
  bool parseShape(SmallVectorImpl<int64_t> &shape) {
    if (!consume('('))
      return false;
    while (!consume(')')) {
      text = text.ltrim();
      uint64_t size;
      if (text.consumeInteger(10, size) || size > INT64_MAX)
        return false;
      (void)text.consume_front("L");
      shape.push_back(size);
      if (!consume(',') && !text.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef text;
};

/// The names that NumPy has for the type, the one to write first.
SmallVector<StringRef> getNumpyTypes(Type type) {
  if (type.isF16())
    return {"<f2"};
  if (type.isBF16())
    return {"<u2", "<V2", "|V2"};
  if (type.isF32())
    return {"<f4"};
  if (type.isF64())
    return {"<f8"};
  if (isa<IndexType>(type))
    return {"<i8"};
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return {"|b1"};
  case 8:
    return {"|i1", "|u1"};
  case 16:
    return {"<i2", "<u2"};
  case 32:
    return {"<i4", "<u4"};
  default:
    return {"<i8", "<u8"};
  }
}

llvm::Error makeError(StringRef path, const Twine &message) {
  return llvm::createStringError(path + ": " + message);
}

} // namespace

llvm::Expected<HostArray>
mlir::xfmr::parseNpy(StringRef contents, StringRef path, Type elementType) {
  StringRef rest = contents;
  if (!rest.consume_front(kMagic))
    return makeError(path, "not a .npy file");
  if (rest.size() < 4)
    return makeError(path, "the header is cut off");
  unsigned version = static_cast<uint8_t>(rest[0]);
  if (version < 1 || version > 3)
    return makeError(path, "unknown .npy format " + Twine(version));
  rest = rest.drop_front(2);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (rest.size() < lengthBytes)
    return makeError(path, "the header is cut off");
  size_t length = version == 1 ? llvm::support::endian::read16le(rest.data())
                               : llvm::support::endian::read32le(rest.data());
  rest = rest.drop_front(lengthBytes);
  if (rest.size() < length)
    return makeError(path, "the header is cut off");

  std::optional<NpyHeader> header =
      HeaderParser(rest.take_front(length)).parse();
  if (!header)
    return makeError(path, "the header is not one of a .npy file");
  SmallVector<StringRef> accepted = getNumpyTypes(elementType);
  if (!llvm::is_contained(accepted, header->type))
    return makeError(path, "expected elements of type " +
                               llvm::to_string(elementType) + " ('" +
                               llvm::join(accepted, "' or '") +
                               "'), the file has '" + header->type + "'");
  bool isOneDimensional =
      llvm::count_if(header->shape, [](int64_t size) { return size > 1; }) <= 1;
  if (header->fortranOrder && !isOneDimensional)
    return makeError(path, "the file has Fortran order: write it with "
                           "numpy.ascontiguousarray");

  llvm::Expected<int64_t> count = countElements(header->shape);
  if (!count)
    return makeError(path, llvm::toString(count.takeError()));
  size_t needed = *count * getElementBytes(elementType);
  StringRef data = rest.drop_front(length);
  if (data.size() < needed)
    return makeError(
        path, "the file is short: " + formatShape(header->shape, elementType) +
                  " takes " + Twine(needed) +
                  " bytes behind the header, it has " + Twine(data.size()));
  if (data.size() > needed)
    return makeError(path,
                     Twine(data.size() - needed) + " bytes follow the array");
  llvm::Expected<HostArray> array =
      HostArray::create(elementType, header->shape);
  if (!array)
    return makeError(path, llvm::toString(array.takeError()));
  std::memcpy(array->getData(), data.data(), needed);
  return array;
}

llvm::Expected<HostArray> mlir::xfmr::readNpy(StringRef path,
                                              Type elementType) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(path, buffer.getError().message());
  return parseNpy((*buffer)->getBuffer(), path, elementType);
}

llvm::Error mlir::xfmr::writeNpy(StringRef path, Type elementType,
                                 ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> strides, const char *data) {
  std::string header = "{'descr': '" +
                       getNumpyTypes(elementType).front().str() +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : shape)
    header += std::to_string(size) + ",";
  header += "), }";
  // The data start at a multiple of 64 bytes.
  size_t prefix = kMagic.size() + 4;
  header.append(llvm::alignTo(prefix + header.size() + 1, 64) - prefix -
                    header.size() - 1,
                ' ');
  header += '\n';

  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return makeError(path, code.message());
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  os << kMagic << '\1' << '\0' << StringRef(length, 2) << header;
  int64_t bytes = getElementBytes(elementType);
  forEachElement(shape, strides,
                 [&](int64_t place) { os.write(data + place * bytes, bytes); });
  os.close();
  if (os.has_error()) {
    llvm::Error error = makeError(path, os.error().message());
    os.clear_error();
    return error;
  }
  return llvm::Error::success();
}
