//===- CHeader.cpp - The C header of compiled functions -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/CHeader.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/Dialect/IR/PackedWeights.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlir;
using namespace mlir::xfmr;

namespace {

std::string getCType(Type type) {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (isa<FloatType>(type))
    return "uint16_t";
  if (isa<IndexType>(type))
    return "int64_t";
  if (type.isInteger(1))
    return "bool";
  return "int" + std::to_string(type.getIntOrFloatBitWidth()) + "_t";
}

std::string getDescriptorName(const EntryValue &value) {
  std::string name;
  llvm::raw_string_ostream(name)
      << "xfmr_memref_" << value.getRank() << "d_" << value.elementType;
  return name;
}

void printDescriptor(raw_ostream &os, const EntryValue &value) {
  std::string name = getDescriptorName(value);
  std::string guard = StringRef(name).upper();
  std::string element = getCType(value.elementType);
  os << "#ifndef " << guard << "\n#define " << guard << "\n"
     << "typedef struct " << name << " {\n"
     << "  " << element << " *allocated;\n  " << element << " *aligned;\n"
     << "  int64_t offset;\n";
  if (value.getRank() > 0)
    os << "  int64_t sizes[" << value.getRank() << "];\n  int64_t strides["
       << value.getRank() << "];\n";
  os << "} " << name << ";\n#endif\n\n";
}

std::string declareParameter(const EntryValue &value, bool isResult) {
  if (value.isScalar)
    return getCType(value.elementType) + (isResult ? " *" : " ") + value.name;
  return (isResult ? "" : "const ") + getDescriptorName(value) + " *" +
         value.name;
}

/// Bytes of a packed weight, where the compiler knows them.
std::optional<int64_t> getBytes(const EntryValue &value) {
  int64_t bytes = getElementBytes(value.elementType);
  for (int64_t size : value.shape) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    bytes *= size;
  }
  return bytes;
}

/// What a function on packed weights, or one that makes them, is for.
void describeRole(raw_ostream &os, const EntrySignature &signature) {
  switch (signature.role) {
  case EntrySignature::Role::Function:
    return;
  case EntrySignature::Role::PackWeights:
    os << " * Packs the weights of " << signature.function
       << ", which needs them packed, into the caller's\n"
       << " * memory: of the sizes that " << signature.function
       << kPackedSizesSuffix << " gives. The weights'\n"
       << " * own memory is not needed afterwards.\n";
    if (llvm::any_of(signature.arguments, [](const EntryValue &value) {
          return value.mayBeInPlace;
        }))
      os << " * What may be packed in place may have the memory of the weight "
            "itself, or of its\n"
            " * part of it, at the same address and if it is of as many bytes: "
            "the most that is\n"
            " * needed is then the weights and, for the time of the call, a "
            "panel of outputs for\n"
            " * each thread; and a bit for each run of a row that goes to one "
            "panel, for a weight\n"
            " * whose rows are inputs, which takes longer than packing "
            "elsewhere. No other memory\n"
            " * of a packed weight may overlap a weight or another packed "
            "one.\n";
    else
      os << " * Nothing else is allocated. No memory of a packed weight may "
            "overlap a weight or\n"
            " * another packed one.\n";
    return;
  case EntrySignature::Role::PackedSizes:
    os << " * Fills in the sizes and strides of the packed weights of "
       << signature.function << ";\n"
       << " * `allocated` and `aligned` become null, for the caller to set to "
          "memory of\n"
       << " * XFMR_PACKED_BYTES(&...) bytes, aligned to " << kPackedAlignment
       << " bytes.\n";
    return;
  }
}

void describeValue(raw_ostream &os, const EntryValue &value) {
  os << " *   " << value.name << ": ";
  if (value.isPacked()) {
    os << value.packedFrom << " packed, "
       << formatShape(value.shape, value.elementType);
    if (std::optional<int64_t> bytes = getBytes(value))
      os << ", " << *bytes << " bytes";
    if (value.mayBeInPlace)
      os << ", may be in place";
  } else {
    os << value.type;
    if (value.sizesOnly)
      os << ", of which the sizes are read alone";
    else if (value.isWeight)
      os << ", a weight: the same in every call";
  }
  os << "\n";
}

void printFunction(raw_ostream &os, const EntrySignature &signature) {
  os << "/*\n * " << signature.name << "\n";
  describeRole(os, signature);
  for (const EntryValue &value : signature.arguments)
    describeValue(os, value);
  for (const EntryValue &value : signature.results)
    describeValue(os, value);
  os << " */\nint32_t " << signature.name << "(";
  SmallVector<std::string> parameters;
  for (const EntryValue &value : signature.arguments)
    parameters.push_back(declareParameter(value, /*isResult=*/false));
  for (const EntryValue &value : signature.results)
    parameters.push_back(declareParameter(value, /*isResult=*/true));
  if (parameters.empty())
    parameters.push_back("void");
  std::string indent(signature.name.size() + 9, ' ');
  os << llvm::join(parameters, ",\n" + indent) << ");\n"
     << "const char *" << signature.name << "_error_message(int32_t status);\n";
  if (signature.role == EntrySignature::Role::PackedSizes)
    for (const EntryValue &value : signature.results)
      if (std::optional<int64_t> bytes = getBytes(value))
        os << "#define "
           << StringRef(signature.function + "_" + value.name).upper()
           << "_BYTES " << *bytes << "\n";
  os << "\n";
}

} // namespace

std::string mlir::xfmr::makeCHeader(ArrayRef<EntrySignature> signatures,
                                    const CHeaderInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string guard = "XFMR_COMPILED";
  for (const EntrySignature &signature : signatures)
    if (signature.role == EntrySignature::Role::Function)
      guard += "_" + StringRef(signature.name).upper();
  guard += "_H";

  bool isPacked = llvm::any_of(signatures, [](const EntrySignature &entry) {
    return entry.role != EntrySignature::Role::Function;
  });
  os << "/* Made by xfmr-compile from " << info.source << ", for " << info.cpus
     << ".\n"
     << " *\n"
     << " * Arrays are passed by a pointer to a descriptor. Element i, j of an "
        "array is\n"
     << " *   aligned[offset + i * strides[0] + j * strides[1]];\n"
     << " * sizes and strides count elements. Where a type below has no "
        "`strided`, rows\n"
     << " * follow each other without gaps and the offset is 0: strides[1] = "
        "1,\n"
     << " * strides[0] = sizes[1]. Where it has a number for a size, that is "
        "the "
        "size.\n"
     << " * "
     << (info.checksDescriptors
             ? "Both are checked."
             : "Neither is checked: the caller is to see to them.")
     << "\n"
     << " *\n"
     << " * f16 and bf16 are the uint16_t of their bits, i1 is a bool.\n"
     << " *\n"
     << " * Alignment: that of the element is enough, for every pointer"
     << (isPacked ? " but those of\n * packed weights, which are aligned to " +
                        std::to_string(kPackedAlignment) + " bytes.\n"
                  : ".\n")
     << " *\n"
     << " * Status: 0, or the number of what was wrong, which "
        "..._error_message tells.\n"
     << " * After an error the descriptors of results are zero.\n"
     << " *\n"
     << " * Ownership: arguments stay the caller's. A function writes its "
        "results through\n"
     << " * the last pointers. A result whose `allocated` is that of an "
        "argument "
        "is that\n"
     << " * argument's memory, written in place; any other is the caller's to "
        "give to\n"
     << " * free(), by its `allocated` pointer.\n"
     << " *\n"
     << " * Threads: functions hold no state, so that they may be called from "
        "several\n"
     << " * threads at once, unless one call writes what another reads or "
        "writes.\n"
     << (info.usesThreads
             ? " * They start threads of their own: link the OpenMP library "
               "(libomp).\n"
             : " * They start no threads and need no OpenMP library.\n")
     << " */\n#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";

  if (isPacked)
    os << "/* The bytes of a packed weight, by its descriptor. */\n"
       << "#ifndef XFMR_PACKED_BYTES\n"
       << "#define XFMR_PACKED_BYTES(packed)" << std::string(34, ' ')
       << "\\\n  ((size_t)(packed)->sizes[0] * (size_t)(packed)->strides[0] *"
       << std::string(7, ' ') << "\\\n   sizeof *(packed)->aligned)\n"
       << "#endif\n\n";

  std::set<std::string> printed;
  for (const EntrySignature &signature : signatures) {
    auto print = [&](const EntryValue &value) {
      if (!value.isScalar && printed.insert(getDescriptorName(value)).second)
        printDescriptor(os, value);
    };
    llvm::for_each(signature.arguments, print);
    llvm::for_each(signature.results, print);
  }
  for (const EntrySignature &signature : signatures)
    printFunction(os, signature);
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return text;
}
