//===- UpstreamCrashes.cpp - Inputs that break MLIR itself ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UpstreamCrashes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace mlir::xfmr;

bool fuzz::breaksParser(StringRef text) {
  // mlir::detail::Parser::parseAttribute and parseType recurse at every bracket
  // without a limit.
  constexpr unsigned kMaxDepth = 100;
  unsigned depth = 0;
  for (char c : text) {
    if (StringRef("([{<").contains(c) && ++depth > kMaxDepth)
      return true;
    if (StringRef(")]}>").contains(c) && depth > 0)
      --depth;
  }
  // linalg's TransposeOp, BroadcastOp and ReduceOp::parse go on with the null
  // attribute of a list that did not parse.
  for (StringRef key : {"permutation", "dimensions"}) {
    for (size_t at = text.find(key); at != StringRef::npos;
         at = text.find(key, at + 1)) {
      StringRef rest = text.substr(at + key.size()).ltrim();
      if (!rest.consume_front("=") || rest.ltrim().starts_with("array<"))
        continue;
      rest = rest.ltrim();
      if (!rest.consume_front("[") ||
          !rest.drop_while(
                   [](char c) { return StringRef("0123456789, ").contains(c); })
               .starts_with("]"))
        return true;
    }
  }
  return false;
}

bool fuzz::breaksVerifier(Operation *module) { return false; }

bool fuzz::breaksPasses(Operation *module) { return false; }

bool fuzz::isMadeInvalidByMLIR(StringRef passName, StringRef messages) {
  // BufferDeallocation takes extract_strided_metadata of any memref.
  return passName.contains("Dealloc") &&
         messages.contains("must be strided memref of any type values");
}
