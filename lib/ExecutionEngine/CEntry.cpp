//===- CEntry.cpp - The C interface of compiled functions -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/CEntry.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/Dialect/IR/PackedWeights.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::xfmr;

SmallVector<std::string> mlir::xfmr::getStatusMessages(ModuleOp lowered) {
  SmallVector<std::string> messages;
  // Every function has the same table.
  for (Operation &op : *lowered.getBody()) {
    auto table = op.getAttrOfType<ArrayAttr>(kStatusMessagesAttrName);
    if (!table || !messages.empty())
      continue;
    for (auto message : table.getAsRange<StringAttr>())
      messages.push_back(message.str());
  }
  return messages;
}

bool mlir::xfmr::isCIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

SmallVector<std::string>
mlir::xfmr::getDescriptorMessages(const EntrySignature &signature) {
  SmallVector<std::string> messages;
  for (auto [index, value] : llvm::enumerate(signature.arguments)) {
    std::string argument =
        "argument " + std::to_string(index) + " (" + value.name + "): ";
    if (value.isPacked()) {
      // The same for every CPU.
      messages.push_back(argument + "expected the sizes and strides that the "
                                    "function for packed sizes gives, offset "
                                    "0, and memory aligned to 64 bytes");
      continue;
    }
    for (auto [dim, size] : llvm::enumerate(value.shape))
      if (!ShapedType::isDynamic(size))
        messages.push_back(argument + "expected size " + std::to_string(size) +
                           " in dimension " + std::to_string(dim));
    if (!value.isScalar && value.isIdentityLayout)
      messages.push_back(argument +
                         "expected row-major elements without gaps, offset 0");
    else if (!value.isScalar)
      messages.push_back(argument + "expected the strides and the offset of " +
                         llvm::to_string(value.type));
  }
  return messages;
}

namespace {

/// Builds the body of one C entry.
class EntryBuilder {
public:
  EntryBuilder(llvm::Module &module, const EntrySignature &signature)
      : module(module), context(module.getContext()), builder(context),
        signature(signature) {}

  llvm::Expected<llvm::Function *>
  build(StringRef symbol, bool checkDescriptors, int32_t firstStatus);

private:
  llvm::Type *ptr() { return builder.getPtrTy(); }
  llvm::Type *i64() { return builder.getInt64Ty(); }

  llvm::Type *getScalarType(Type type) {
    if (isa<IndexType>(type))
      return i64();
    if (type.isF32())
      return builder.getFloatTy();
    if (type.isF64())
      return builder.getDoubleTy();
    if (type.isF16())
      return builder.getHalfTy();
    if (type.isBF16())
      return builder.getBFloatTy();
    return builder.getIntNTy(type.getIntOrFloatBitWidth());
  }

  /// C has no type for bits and for the half types that all compilers pass in
  /// the same way.
  llvm::Type *getPassedType(Type type) {
    llvm::Type *scalar = getScalarType(type);
    if (scalar->isIntegerTy(1))
      return builder.getInt8Ty();
    if (scalar->is16bitFPTy())
      return builder.getInt16Ty();
    return scalar;
  }

  llvm::StructType *getDescriptorType(int64_t rank) {
    SmallVector<llvm::Type *> fields{ptr(), ptr(), i64()};
    if (rank > 0)
      fields.append(2, llvm::ArrayType::get(i64(), rank));
    return llvm::StructType::get(context, fields);
  }

  llvm::Value *load(const EntryValue &value, llvm::Value *descriptor,
                    ArrayRef<unsigned> path) {
    llvm::Type *type = getDescriptorType(value.getRank());
    SmallVector<llvm::Value *> indices{builder.getInt32(0)};
    llvm::Type *element = type;
    for (unsigned index : path) {
      indices.push_back(builder.getInt32(index));
      element = llvm::GetElementPtrInst::getTypeAtIndex(element, index);
    }
    return builder.CreateLoad(element,
                              builder.CreateGEP(type, descriptor, indices));
  }

  /// Where the body has line numbers, the entry is at the body's line: code
  /// that is inlined into a function without any loses its own.
  void setDebugLocation(llvm::Function &body, llvm::Function &entry) {
    llvm::DISubprogram *of = body.getSubprogram();
    if (!of)
      return;
    llvm::DIBuilder debug(module, /*AllowUnresolved=*/true, of->getUnit());
    auto *subprogram = debug.createFunction(
        of->getFile(), entry.getName(), entry.getName(), of->getFile(),
        of->getLine(), of->getType(), of->getScopeLine(),
        llvm::DINode::FlagArtificial, of->getSPFlags());
    entry.setSubprogram(subprogram);
    builder.SetCurrentDebugLocation(
        llvm::DILocation::get(context, of->getLine(), 0, subprogram));
    debug.finalize();
  }

  void checkArgument(const EntryValue &value, llvm::Value *descriptor);
  void expect(llvm::Value *condition) {
    checks.push_back({condition, builder.getInt32(nextStatus++)});
  }
  void leaveUnlessChecked(llvm::BasicBlock *fail);

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  const EntrySignature &signature;
  /// What has to hold from here on, with the status of what does not.
  SmallVector<std::pair<llvm::Value *, llvm::Value *>> checks;
  /// Statuses that are not 0, with the blocks that leave with them.
  SmallVector<std::pair<llvm::Value *, llvm::BasicBlock *>> failures;
  int32_t nextStatus = 1;
};

} // namespace

void EntryBuilder::checkArgument(const EntryValue &value,
                                 llvm::Value *descriptor) {
  unsigned rank = value.getRank();
  SmallVector<llvm::Value *> sizes, strides;
  llvm::Value *ok = builder.getTrue();
  for (unsigned dim = 0; dim < rank; ++dim) {
    sizes.push_back(load(value, descriptor, {3, dim}));
    strides.push_back(load(value, descriptor, {4, dim}));
    if (ShapedType::isDynamic(value.shape[dim]))
      continue;
    llvm::Value *fits =
        builder.CreateICmpEQ(sizes[dim], builder.getInt64(value.shape[dim]));
    if (value.isPacked())
      ok = builder.CreateAnd(ok, fits);
    else
      expect(fits);
    // From here on it is known.
    sizes[dim] = builder.getInt64(value.shape[dim]);
  }
  if (value.isPacked()) {
    llvm::Value *address =
        builder.CreatePtrToInt(load(value, descriptor, {1}), i64());
    ok = builder.CreateAnd(
        ok,
        builder.CreateICmpEQ(builder.CreateAnd(address, kPackedAlignment - 1),
                             builder.getInt64(0)));
  }
  if (!ShapedType::isDynamic(value.offset))
    ok = builder.CreateAnd(
        ok, builder.CreateICmpEQ(load(value, descriptor, {2}),
                                 builder.getInt64(value.offset)));
  llvm::Value *empty = builder.getFalse();
  for (llvm::Value *size : sizes)
    empty = builder.CreateOr(empty,
                             builder.CreateICmpEQ(size, builder.getInt64(0)));
  // The stride of a dimension that is never stepped over may be anything.
  llvm::Value *expected = builder.getInt64(1);
  for (unsigned dim = rank; dim-- > 0;) {
    llvm::Value *one = builder.getInt64(1);
    if (!value.isIdentityLayout) {
      if (ShapedType::isDynamic(value.strides[dim]))
        continue;
      expected = builder.getInt64(value.strides[dim]);
    }
    llvm::Value *fits = builder.CreateOr(
        builder.CreateICmpEQ(strides[dim], expected),
        builder.CreateOr(empty, builder.CreateICmpSLE(sizes[dim], one)));
    ok = builder.CreateAnd(ok, fits);
    if (value.isIdentityLayout)
      expected = builder.CreateMul(expected, sizes[dim]);
  }
  expect(value.isPacked() ? ok : builder.CreateOr(ok, empty));
}

/// One branch for what is expected of an argument; what was not so is found
/// behind it. A status that every check handed on would delay the body.
void EntryBuilder::leaveUnlessChecked(llvm::BasicBlock *fail) {
  llvm::Value *all = builder.getTrue(), *status = nullptr;
  for (auto [condition, ifNot] : checks)
    all = builder.CreateAnd(all, condition);
  llvm::Function *entry = fail->getParent();
  auto *next = llvm::BasicBlock::Create(context, "", entry, fail);
  auto *failed = llvm::BasicBlock::Create(context, "", entry, fail);
  builder.CreateCondBr(all, next, failed,
                       llvm::MDBuilder(context).createLikelyBranchWeights());
  builder.SetInsertPoint(failed);
  for (auto [condition, ifNot] : llvm::reverse(checks))
    status = status ? builder.CreateSelect(condition, status, ifNot) : ifNot;
  failures.push_back({status, failed});
  builder.CreateBr(fail);
  builder.SetInsertPoint(next);
  checks.clear();
}

llvm::Expected<llvm::Function *> EntryBuilder::build(StringRef symbol,
                                                     bool checkDescriptors,
                                                     int32_t firstStatus) {
  llvm::Function *body = module.getFunction(signature.name);
  size_t numParameters = 0;
  for (const EntryValue &value : signature.arguments)
    numParameters += value.isScalar ? 1 : 3 + 2 * value.getRank();
  SmallVector<llvm::Type *> resultTypes;
  for (const EntryValue &value : signature.results)
    resultTypes.push_back(value.isScalar ? getScalarType(value.elementType)
                                         : getDescriptorType(value.getRank()));
  unsigned numResults = resultTypes.size();
  auto getReturned = [&]() -> llvm::Type * {
    if (resultTypes.empty())
      return builder.getVoidTy();
    return resultTypes.size() == 1
               ? resultTypes.front()
               : llvm::StructType::get(context, resultTypes);
  };
  llvm::Type *withoutStatus = getReturned();
  resultTypes.push_back(builder.getInt32Ty());
  llvm::Type *withStatus = getReturned();
  // A function lowered without runtime checks has no status. What it returns
  // cannot be taken for one: the number of results differs.
  bool hasStatus = body && body->getReturnType() == withStatus;
  if (!body || body->isDeclaration() || body->arg_size() != numParameters ||
      (!hasStatus && body->getReturnType() != withoutStatus))
    return llvm::createStringError(
        "function '" + signature.name +
        "' does not have the arguments and results that its lowering should "
        "give it");
  body->setName(signature.name + ".body");
  body->setLinkage(llvm::GlobalValue::InternalLinkage);

  SmallVector<llvm::Type *> parameters;
  for (const EntryValue &value : signature.arguments)
    parameters.push_back(value.isScalar ? getPassedType(value.elementType)
                                        : ptr());
  parameters.append(signature.results.size(), ptr());
  auto *entry = llvm::Function::Create(
      llvm::FunctionType::get(builder.getInt32Ty(), parameters, false),
      llvm::GlobalValue::ExternalLinkage, symbol, module);

  setDebugLocation(*body, *entry);
  auto *start = llvm::BasicBlock::Create(context, "", entry);
  auto *done = llvm::BasicBlock::Create(context, "done", entry);
  auto *fail = llvm::BasicBlock::Create(context, "fail", entry);

  builder.SetInsertPoint(start);
  nextStatus = firstStatus;
  if (checkDescriptors)
    for (auto [value, argument] :
         llvm::zip_first(signature.arguments, entry->args()))
      if (!value.isScalar) {
        checkArgument(value, &argument);
        leaveUnlessChecked(fail);
      }

  SmallVector<llvm::Value *> operands;
  for (auto [value, argument] :
       llvm::zip_first(signature.arguments, entry->args())) {
    llvm::Value *passed = &argument;
    if (value.isScalar) {
      llvm::Type *type = getScalarType(value.elementType);
      operands.push_back(type->isIntegerTy(1)
                             ? builder.CreateTrunc(passed, type)
                             : builder.CreateBitCast(passed, type));
      continue;
    }
    for (unsigned field = 0; field < 3; ++field)
      operands.push_back(load(value, passed, {field}));
    for (unsigned field = 3; field < 5; ++field)
      for (unsigned dim = 0; dim < value.getRank(); ++dim)
        operands.push_back(load(value, passed, {field, dim}));
  }
  llvm::Value *call = builder.CreateCall(body, operands);
  auto extract = [&](unsigned index) -> llvm::Value * {
    return llvm::isa<llvm::StructType>(call->getType()) &&
                   numResults + hasStatus > 1
               ? builder.CreateExtractValue(call, index)
               : call;
  };
  llvm::Value *result = hasStatus ? extract(numResults) : builder.getInt32(0);
  failures.push_back({result, builder.GetInsertBlock()});
  builder.CreateCondBr(builder.CreateICmpEQ(result, builder.getInt32(0)), done,
                       fail);

  auto store = [&](unsigned index, llvm::Value *value) {
    if (value->getType()->isIntegerTy(1))
      value = builder.CreateZExt(value, builder.getInt8Ty());
    builder.CreateStore(value,
                        entry->getArg(signature.arguments.size() + index));
  };
  builder.SetInsertPoint(done);
  for (unsigned index = 0; index < numResults; ++index)
    store(index, extract(index));
  builder.CreateRet(builder.getInt32(0));

  builder.SetInsertPoint(fail);
  llvm::PHINode *failed =
      builder.CreatePHI(builder.getInt32Ty(), failures.size());
  for (auto [failure, block] : failures)
    failed->addIncoming(failure, block);
  for (unsigned index = 0; index < numResults; ++index)
    store(index, llvm::Constant::getNullValue(resultTypes[index]));
  builder.CreateRet(failed);
  return entry;
}

llvm::Expected<llvm::Function *>
mlir::xfmr::addCEntry(llvm::Module &module, const EntrySignature &signature,
                      StringRef symbol, bool checkDescriptors,
                      int32_t firstStatus) {
  return EntryBuilder(module, signature)
      .build(symbol, checkDescriptors, firstStatus);
}

void mlir::xfmr::addErrorMessageFunction(llvm::Module &module, StringRef name,
                                         ArrayRef<std::string> messages,
                                         StringRef unsupported) {
  llvm::IRBuilder<> builder(module.getContext());
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getPtrTy(), {builder.getInt32Ty()},
                              false),
      llvm::GlobalValue::ExternalLinkage, name + "_error_message", module);
  auto *start = llvm::BasicBlock::Create(module.getContext(), "", function);
  auto *unknown =
      llvm::BasicBlock::Create(module.getContext(), "unknown", function);
  builder.SetInsertPoint(start);
  llvm::SwitchInst *dispatch =
      builder.CreateSwitch(function->getArg(0), unknown, messages.size() + 2);
  auto add = [&](int32_t status, StringRef message) {
    auto *block = llvm::BasicBlock::Create(module.getContext(), "", function);
    builder.SetInsertPoint(block);
    builder.CreateRet(builder.CreateGlobalString(message));
    dispatch->addCase(builder.getInt32(status), block);
  };
  add(0, "no error");
  for (auto [index, message] : llvm::enumerate(messages))
    add(index + 1, message);
  if (!unsupported.empty())
    add(-1, unsupported);
  builder.SetInsertPoint(unknown);
  builder.CreateRet(builder.CreateGlobalString("unknown status"));
}

void mlir::xfmr::addPackedEntry(llvm::Module &module, llvm::Function &entry,
                                StringRef symbol) {
  llvm::IRBuilder<> builder(module.getContext());
  auto *packed = llvm::Function::Create(
      llvm::FunctionType::get(builder.getInt32Ty(), {builder.getPtrTy()},
                              false),
      llvm::GlobalValue::ExternalLinkage, symbol, module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", packed));
  SmallVector<llvm::Value *> operands;
  for (auto [index, parameter] : llvm::enumerate(entry.args())) {
    llvm::Value *place = builder.CreateConstGEP1_64(builder.getPtrTy(),
                                                    packed->getArg(0), index);
    llvm::Value *value = builder.CreateLoad(builder.getPtrTy(), place);
    if (!parameter.getType()->isPointerTy())
      value = builder.CreateLoad(parameter.getType(), value);
    operands.push_back(value);
  }
  // Not to be inlined into a function without line numbers.
  llvm::CallInst *call = builder.CreateCall(&entry, operands);
  call->setIsNoInline();
  builder.CreateRet(call);
}
