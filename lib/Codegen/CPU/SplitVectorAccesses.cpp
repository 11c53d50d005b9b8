//===- SplitVectorAccesses.cpp - Loads and stores line by line --*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_SPLITVECTORACCESSES
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;

/// Bytes of a cache line, and of the widest vector register.
constexpr int64_t kPartBytes = 64;

/// How many elements of a vector fill a part; 0 when it is not to be split.
static int64_t getPartElements(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      !vector.getElementType().isIntOrFloat())
    return 0;
  int64_t bits = vector.getElementTypeBitWidth();
  if (bits % 8 != 0)
    return 0;
  int64_t part = kPartBytes * 8 / bits, elements = vector.getNumElements();
  bool isWhole = elements % part == 0 && llvm::isPowerOf2_64(elements / part);
  return elements > part && isWhole ? part : 0;
}

static SmallVector<int32_t> getLanes(int64_t from, int64_t to) {
  return llvm::to_vector(
      llvm::seq<int32_t>(static_cast<int32_t>(from), static_cast<int32_t>(to)));
}

static Value getPlace(OpBuilder &builder, Location loc, Value base,
                      Type element, int64_t offset) {
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(
      builder, loc, base.getType(), element, base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

/// The alignment of all parts of an access that is aligned to `alignment`.
static unsigned getPartAlignment(std::optional<uint64_t> alignment) {
  return static_cast<unsigned>(
      std::min<uint64_t>(alignment.value_or(0), kPartBytes));
}

static void splitLoad(OpBuilder &builder, LLVM::LoadOp load, int64_t part) {
  Location loc = load.getLoc();
  auto type = cast<VectorType>(load.getType());
  auto partType = VectorType::get({part}, type.getElementType());
  SmallVector<Value> parts;
  for (int64_t offset = 0; offset < type.getNumElements(); offset += part)
    parts.push_back(LLVM::LoadOp::create(
        builder, loc, partType,
        getPlace(builder, loc, load.getAddr(), type.getElementType(), offset),
        getPartAlignment(load.getAlignment()), /*isVolatile=*/false,
        load.getNontemporal()));
  // Neighbours together, then pairs of them, and so on.
  for (int64_t width = part; parts.size() > 1; width *= 2) {
    for (size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] = LLVM::ShuffleVectorOp::create(
          builder, loc, parts[2 * i], parts[2 * i + 1], getLanes(0, 2 * width));
    parts.resize(parts.size() / 2);
  }
  load.replaceAllUsesWith(parts.front());
  load.erase();
}

static void splitStore(OpBuilder &builder, LLVM::StoreOp store, int64_t part) {
  Location loc = store.getLoc();
  auto type = cast<VectorType>(store.getValue().getType());
  for (int64_t offset = 0; offset < type.getNumElements(); offset += part) {
    Value value = LLVM::ShuffleVectorOp::create(
        builder, loc, store.getValue(), store.getValue(),
        getLanes(offset, offset + part));
    LLVM::StoreOp::create(
        builder, loc, value,
        getPlace(builder, loc, store.getAddr(), type.getElementType(), offset),
        getPartAlignment(store.getAlignment()), /*isVolatile=*/false,
        store.getNontemporal());
  }
  store.erase();
}

namespace {

struct SplitVectorAccesses
    : xfmr::impl::SplitVectorAccessesBase<SplitVectorAccesses> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation()->walk([&](Operation *op) {
      builder.setInsertionPoint(op);
      if (auto load = dyn_cast<LLVM::LoadOp>(op);
          load && !load.getVolatile_() &&
          load.getOrdering() == LLVM::AtomicOrdering::not_atomic) {
        if (int64_t part = getPartElements(load.getType()))
          splitLoad(builder, load, part);
      } else if (auto store = dyn_cast<LLVM::StoreOp>(op);
                 store && !store.getVolatile_() &&
                 store.getOrdering() == LLVM::AtomicOrdering::not_atomic) {
        if (int64_t part = getPartElements(store.getValue().getType()))
          splitStore(builder, store, part);
      }
    });
  }
};

} // namespace
