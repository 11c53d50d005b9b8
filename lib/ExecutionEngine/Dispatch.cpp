//===- Dispatch.cpp - One function for several processors -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Dispatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

#include <map>

using namespace llvm;
using namespace mlir::xfmr;

void mlir::xfmr::sortByPreference(
    SmallVectorImpl<CPUTarget> &targets,
    SmallVectorImpl<CPURequirements> &requirements) {
  // A level that needs more than another has more bits to test.
  SmallVector<unsigned> needs, order;
  for (const CPURequirements &requirement : requirements) {
    unsigned bits = 0;
    for (const CPUIDTest &test : requirement.tests)
      bits += popcount(test.mask);
    order.push_back(needs.size());
    needs.push_back(bits);
  }
  llvm::sort(order, [&](unsigned lhs, unsigned rhs) {
    return std::make_pair(needs[rhs], lhs) < std::make_pair(needs[lhs], rhs);
  });
  SmallVector<CPUTarget> sortedTargets;
  SmallVector<CPURequirements> sortedRequirements;
  for (unsigned index : order) {
    sortedTargets.push_back(std::move(targets[index]));
    sortedRequirements.push_back(std::move(requirements[index]));
  }
  targets = std::move(sortedTargets);
  requirements = std::move(sortedRequirements);
}

namespace {

/// Builds the function that the loader calls to choose a level.
class ResolverBuilder {
public:
  explicit ResolverBuilder(Module &module)
      : module(module), builder(module.getContext()) {}

  Function *build(StringRef name, ArrayRef<DispatchLevel> levels,
                  Function *none);

private:
  /// The registers eax, ebx, ecx, edx of a leaf; a leaf that the processor
  /// lacks counts as zero.
  ArrayRef<Value *> getLeaf(uint32_t leaf, uint32_t subleaf);
  ArrayRef<Value *> readLeaf(uint32_t leaf, uint32_t subleaf);

  Module &module;
  IRBuilder<> builder;
  std::map<std::pair<uint32_t, uint32_t>, SmallVector<Value *>> leaves;
};

ArrayRef<Value *> ResolverBuilder::readLeaf(uint32_t leaf, uint32_t subleaf) {
  auto [known, isNew] = leaves.try_emplace({leaf, subleaf});
  if (!isNew)
    return known->second;
  llvm::Type *i32 = builder.getInt32Ty();
  auto *type = llvm::FunctionType::get(StructType::get(i32, i32, i32, i32),
                                       {i32, i32}, false);
  InlineAsm *cpuid = InlineAsm::get(
      type, "cpuid", "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}",
      /*hasSideEffects=*/true);
  Value *result = builder.CreateCall(
      cpuid, {builder.getInt32(leaf), builder.getInt32(subleaf)});
  for (unsigned index = 0; index < 4; ++index)
    known->second.push_back(builder.CreateExtractValue(result, index));
  return known->second;
}

ArrayRef<Value *> ResolverBuilder::getLeaf(uint32_t leaf, uint32_t subleaf) {
  auto known = leaves.find({leaf, subleaf});
  if (known != leaves.end())
    return known->second;
  Value *last = readLeaf(leaf & 0x80000000u, 0)[CPUIDTest::EAX];
  Value *exists = builder.CreateICmpUGE(last, builder.getInt32(leaf));
  if (subleaf > 0)
    exists = builder.CreateAnd(
        exists, builder.CreateICmpUGE(getLeaf(leaf, 0)[CPUIDTest::EAX],
                                      builder.getInt32(subleaf)));
  (void)readLeaf(leaf, subleaf);
  for (Value *&value : leaves[{leaf, subleaf}])
    value = builder.CreateSelect(exists, value, builder.getInt32(0));
  return leaves[{leaf, subleaf}];
}

Function *ResolverBuilder::build(StringRef name, ArrayRef<DispatchLevel> levels,
                                 Function *none) {
  LLVMContext &context = module.getContext();
  auto *resolver =
      Function::Create(llvm::FunctionType::get(builder.getPtrTy(), false),
                       GlobalValue::InternalLinkage, name, module);
  // It runs before the program is relocated.
  resolver->addFnAttr(Attribute::NoUnwind);
  resolver->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  auto *start = BasicBlock::Create(context, "", resolver);
  auto *readState = BasicBlock::Create(context, "xgetbv", resolver);
  auto *choose = BasicBlock::Create(context, "choose", resolver);

  builder.SetInsertPoint(start);
  for (const DispatchLevel &level : levels)
    for (const CPUIDTest &test : level.requirements.tests)
      (void)getLeaf(test.leaf, test.subleaf);
  constexpr uint32_t osxsave = 1u << 27;
  Value *hasState = builder.CreateICmpNE(
      builder.CreateAnd(getLeaf(1, 0)[CPUIDTest::ECX], osxsave),
      builder.getInt32(0));
  builder.CreateCondBr(hasState, readState, choose);

  builder.SetInsertPoint(readState);
  llvm::Type *i32 = builder.getInt32Ty();
  InlineAsm *xgetbv = InlineAsm::get(
      llvm::FunctionType::get(StructType::get(i32, i32), {i32}, false),
      "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}",
      /*hasSideEffects=*/true);
  Value *read = builder.CreateCall(xgetbv, {builder.getInt32(0)});
  auto widen = [&](unsigned index) {
    return builder.CreateZExt(builder.CreateExtractValue(read, index),
                              builder.getInt64Ty());
  };
  Value *state = builder.CreateOr(widen(0), builder.CreateShl(widen(1), 32));
  builder.CreateBr(choose);

  builder.SetInsertPoint(choose);
  PHINode *xcr0 = builder.CreatePHI(builder.getInt64Ty(), 2);
  xcr0->addIncoming(builder.getInt64(0), start);
  xcr0->addIncoming(state, readState);
  Value *chosen = none;
  for (const DispatchLevel &level : llvm::reverse(levels)) {
    Value *fits = builder.CreateICmpEQ(
        builder.CreateAnd(xcr0, level.requirements.xcr0Mask),
        builder.getInt64(level.requirements.xcr0Mask));
    for (const CPUIDTest &test : level.requirements.tests)
      fits = builder.CreateAnd(
          fits, builder.CreateICmpEQ(
                    builder.CreateAnd(
                        getLeaf(test.leaf, test.subleaf)[test.reg], test.mask),
                    builder.getInt32(test.mask)));
    chosen = builder.CreateSelect(fits, level.function, chosen);
  }
  builder.CreateRet(chosen);
  return resolver;
}

/// The function for a processor that can run none of the levels.
Function *buildNone(Module &module, llvm::FunctionType *type, StringRef name,
                    ArrayRef<uint64_t> resultBytes) {
  IRBuilder<> builder(module.getContext());
  auto *function =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  unsigned first = function->arg_size() - resultBytes.size();
  for (auto [index, bytes] : llvm::enumerate(resultBytes))
    for (uint64_t byte = 0; byte < bytes; ++byte)
      builder.CreateStore(
          builder.getInt8(0),
          builder.CreateConstGEP1_64(builder.getInt8Ty(),
                                     function->getArg(first + index), byte));
  builder.CreateRet(builder.getInt32(-1));
  return function;
}

} // namespace

void mlir::xfmr::addDispatch(Module &module, StringRef symbol,
                             ArrayRef<DispatchLevel> levels,
                             ArrayRef<uint64_t> resultBytes) {
  llvm::FunctionType *type = levels.front().function->getFunctionType();
  for (const DispatchLevel &level : levels)
    level.function->setLinkage(GlobalValue::InternalLinkage);
  Function *none =
      buildNone(module, type, (symbol + ".none").str(), resultBytes);
  Function *resolver =
      ResolverBuilder(module).build((symbol + ".resolver").str(), levels, none);
  GlobalIFunc::create(type, /*AddressSpace=*/0, GlobalValue::ExternalLinkage,
                      symbol, resolver, &module);
}
