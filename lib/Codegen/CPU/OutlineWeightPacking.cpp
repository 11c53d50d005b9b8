//===- OutlineWeightPacking.cpp - xfmr-outline-weight-packing -------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedConstants.h"
#include "RowLoweringDetail.h"
#include "WeightPacking.h"
#include "xfmr/Codegen/CPU/PanelLayout.h"
#include "xfmr/Codegen/CPU/Passes.h"
#include "xfmr/Dialect/IR/PackedWeights.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_OUTLINEWEIGHTPACKING
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Whether memory is written through `value` or a view of it, apart from `op`.
/// A call reads packed weights, as any product does.
bool isWrittenBeside(Value value, Operation *op) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (user == op || isa<memref::DeallocOp, CallOpInterface>(user))
      return false;
    if (isa<ViewLikeOpInterface>(user))
      return isWrittenBeside(user->getResult(0), op);
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return !effects || effects.getEffectOnValue<MemoryEffects::Write>(value);
  });
}

/// An alloc at the level of a function that one op fills with a packed weight.
struct Packing {
  PackWeightOp op;
  memref::AllocOp memory;
  /// What computes the weight's view and the packed sizes, in order.
  SetVector<Operation *> slice;
  SetVector<Value> weights;
};

/// All packings in `function`, whatever their weights.
SmallVector<Packing> findPackings(func::FuncOp function) {
  SmallVector<Packing> packings;
  for (auto op : function.getBody().front().getOps<PackWeightOp>()) {
    auto memory = op.getInit().getDefiningOp<memref::AllocOp>();
    if (memory && memory->getBlock() == op->getBlock() &&
        !isWrittenBeside(memory, op))
      packings.push_back({op, memory, {}, {}});
  }
  return packings;
}

void replaceMemory(RewriterBase &rewriter, Packing &packing, Value packed) {
  for (Operation *user : llvm::make_early_inc_range(packing.memory->getUsers()))
    if (isa<memref::DeallocOp>(user))
      rewriter.eraseOp(user);
  rewriter.eraseOp(packing.op);
  rewriter.replaceAllUsesWith(packing.memory.getResult(), packed);
  rewriter.eraseOp(packing.memory);
}

struct OutlineWeightPacking
    : xfmr::impl::OutlineWeightPackingBase<OutlineWeightPacking> {
  using OutlineWeightPackingBase::OutlineWeightPackingBase;

  void runOnOperation() override;

private:
  // Constants.
  void foldConstants(func::FuncOp function);
  /// A global with what `op` makes of a constant, or null.
  memref::GlobalOp getPackedGlobal(PackWeightOp op);

  // Arguments.
  LogicalResult outline(func::FuncOp function);
  /// Fills in the slice of a packing; says why it cannot be moved.
  LogicalResult findSlice(func::FuncOp function, Packing &packing,
                          std::string &reason);
  func::FuncOp createFunction(func::FuncOp beside, StringRef suffix,
                              TypeRange arguments, TypeRange results);
  void createPackFunction(func::FuncOp function,
                          MutableArrayRef<Packing> packings,
                          ArrayRef<Value> weights);
  void createSizesFunction(func::FuncOp function,
                           MutableArrayRef<Packing> packings,
                           ArrayRef<Value> weights);
  /// Checks that `packed` has the sizes that `memory` has.
  void checkSizes(OpBuilder &builder, func::FuncOp function, Value packed,
                  memref::AllocOp memory, ValueRange sizes);
  void rewriteArguments(func::FuncOp function,
                        MutableArrayRef<Packing> packings);

  SymbolTable *symbols = nullptr;
  /// The packed form of a global: by the global, the type and the order of the
  /// view of it that is packed, and the packed type.
  using PackedKey = std::tuple<Operation *, Type, WeightLayout, Type>;
  llvm::MapVector<PackedKey, memref::GlobalOp> globals;
};

} // namespace

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

memref::GlobalOp OutlineWeightPacking::getPackedGlobal(PackWeightOp op) {
  auto get = getBaseBuffer(op.getInput()).getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? symbols->lookup<memref::GlobalOp>(get.getName())
                    : memref::GlobalOp();
  auto constant = global && global.getConstant()
                      ? dyn_cast_or_null<ElementsAttr>(
                            global.getInitialValue().value_or(Attribute()))
                      : ElementsAttr();
  MemRefType weight = op.getWeightType(), packed = op.getPackedType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!constant || !weight.hasStaticShape() || !packed.hasStaticShape() ||
      failed(weight.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || ShapedType::isDynamicShape(strides))
    return {};
  PackedKey key(global, weight, op.getLayout(), packed);
  if (auto *known = globals.find(key); known != globals.end())
    return known->second;
  FailureOr<ElementsAttr> value = packConstant(op, constant);
  if (failed(value))
    return {};
  OpBuilder builder(global);
  auto result = memref::GlobalOp::create(
      builder, global.getLoc(), (global.getSymName() + "_packed").str(),
      builder.getStringAttr("private"), packed, *value, /*constant=*/true,
      builder.getI64IntegerAttr(kPackedAlignment));
  symbols->insert(result, Block::iterator(global));
  return globals[key] = result;
}

void OutlineWeightPacking::foldConstants(func::FuncOp function) {
  IRRewriter rewriter(&getContext());
  for (Packing &packing : findPackings(function)) {
    memref::GlobalOp global = getPackedGlobal(packing.op);
    if (!global)
      continue;
    remark::passed(packing.op.getLoc(), remark::RemarkOpts::name("Constant")
                                            .category(getArgument())
                                            .function(function.getName()))
        << "packed a constant weight when compiling"
        << remark::metric(
               "bytes",
               packing.op.getPackedType().getNumElements() *
                   packing.op.getPackedType().getElementTypeBitWidth() / 8);
    rewriter.setInsertionPoint(packing.memory);
    Value packed = memref::GetGlobalOp::create(rewriter, packing.op.getLoc(),
                                               packing.memory.getType(),
                                               global.getSymName());
    replaceMemory(rewriter, packing, packed);
  }
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult OutlineWeightPacking::findSlice(func::FuncOp function,
                                              Packing &packing,
                                              std::string &reason) {
  Block &entry = function.getBody().front();
  SetVector<Operation *> found;
  SmallVector<Value> values{packing.op.getInput()};
  llvm::append_range(values, packing.memory.getDynamicSizes());
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != &entry ||
          !function.getArgAttr(argument.getArgNumber(), kWeightAttrName)) {
        reason = "it depends on an argument that is not marked 'xfmr.weight'";
        return failure();
      }
      packing.weights.insert(value);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!isMemoryEffectFree(op) || op->getNumRegions() ||
        op->getBlock() != &entry) {
      reason = "it depends on '" + op->getName().getStringRef().str() + "'";
      return failure();
    }
    if (found.insert(op))
      llvm::append_range(values, op->getOperands());
  }
  auto inOrder = found.takeVector();
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  packing.slice.insert_range(inOrder);
  return success();
}

func::FuncOp OutlineWeightPacking::createFunction(func::FuncOp beside,
                                                  StringRef suffix,
                                                  TypeRange arguments,
                                                  TypeRange results) {
  OpBuilder builder(&getContext());
  auto function =
      func::FuncOp::create(beside.getLoc(), (beside.getName() + suffix).str(),
                           builder.getFunctionType(arguments, results));
  // It is for the same target.
  for (NamedAttribute attribute : beside->getDiscardableAttrs())
    function->setAttr(attribute.getName(), attribute.getValue());
  symbols->insert(function, std::next(Block::iterator(beside)));
  function.addEntryBlock();
  return function;
}

static IRMapping mapWeights(ArrayRef<Value> weights, func::FuncOp function) {
  IRMapping mapping;
  for (auto [weight, argument] :
       llvm::zip_first(weights, function.getArguments()))
    mapping.map(weight, argument);
  return mapping;
}

void OutlineWeightPacking::checkSizes(OpBuilder &builder, func::FuncOp function,
                                      Value packed, memref::AllocOp memory,
                                      ValueRange sizes) {
  if (!runtimeChecks)
    return;
  Location loc = memory.getLoc();
  for (int64_t dim = 0, rank = memory.getType().getRank(); dim < rank; ++dim) {
    if (!memory.getType().isDynamicDim(dim))
      continue;
    Value size = memref::DimOp::create(builder, loc, packed, dim);
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        size, sizes.front());
    sizes = sizes.drop_front();
    // The same for every target.
    std::string message =
        "expected dim " + std::to_string(dim) + " of a packed weight as '" +
        function.getName().str() + kPackedSizesSuffix.str() + "' gives it";
    cf::AssertOp::create(builder, loc, equal, message);
  }
}

void OutlineWeightPacking::createPackFunction(func::FuncOp function,
                                              MutableArrayRef<Packing> packings,
                                              ArrayRef<Value> weights) {
  SmallVector<Type> types = llvm::to_vector(ValueRange(weights).getTypes());
  for (Packing &packing : packings)
    types.push_back(packing.memory.getType());
  func::FuncOp pack = createFunction(function, kPackWeightsSuffix, types, {});
  SmallVector<PackedArgument> arguments;
  for (auto [index, weight] : llvm::enumerate(weights)) {
    pack.setArgAttr(index, kWeightAttrName, UnitAttr::get(&getContext()));
    arguments.emplace_back();
    arguments.back().argument = cast<BlockArgument>(weight).getArgNumber();
  }
  for (Packing &packing : packings) {
    PackedArgument argument;
    argument.argument =
        cast<BlockArgument>(getBaseBuffer(packing.op.getInput()))
            .getArgNumber();
    argument.packed = packing.memory.getType();
    argument.mayBeInPlace = mayPackInPlace(packing.op);
    arguments.push_back(argument);
  }
  pack->setAttr(kPackedWeightsAttrName,
                getPackedWeightsAttr(&getContext(), arguments));
  IRMapping mapping = mapWeights(weights, pack);
  OpBuilder builder = OpBuilder::atBlockBegin(&pack.getBody().front());
  for (auto [index, packing] : llvm::enumerate(packings)) {
    for (Operation *op : packing.slice)
      if (!mapping.contains(op))
        builder.clone(*op, mapping);
    Value packed = memref::AssumeAlignmentOp::create(
        builder, packing.op.getLoc(), pack.getArgument(weights.size() + index),
        kPackedAlignment);
    mapping.map(packing.memory, packed);
    checkSizes(
        builder, function, packed, packing.memory,
        llvm::map_to_vector(packing.memory.getDynamicSizes(),
                            [&](Value size) { return mapping.lookup(size); }));
  }
  // Nothing is written before all is checked.
  SmallVector<PackWeightOp> ops;
  for (Packing &packing : packings)
    ops.push_back(cast<PackWeightOp>(builder.clone(*packing.op, mapping)));
  if (!ops.empty())
    builder.setInsertionPoint(ops.front());
  for (unsigned index = 0; runtimeChecks && index < ops.size(); ++index)
    cf::AssertOp::create(
        builder, ops[index].getLoc(),
        emitHasOwnMemory(builder, ops[index].getLoc(), ops, index),
        "expected memory of a packed weight that overlaps no weight and no "
        "other packed one, or a weight's own that may be packed in place");
  builder.setInsertionPointToEnd(&pack.getBody().front());
  func::ReturnOp::create(builder, function.getLoc());
}

void OutlineWeightPacking::createSizesFunction(
    func::FuncOp function, MutableArrayRef<Packing> packings,
    ArrayRef<Value> weights) {
  SmallVector<Type> results;
  for (Packing &packing : packings)
    results.push_back(packing.memory.getType());
  func::FuncOp sizes = createFunction(function, kPackedSizesSuffix,
                                      ValueRange(weights).getTypes(), results);
  IRMapping mapping = mapWeights(weights, sizes);
  OpBuilder builder = OpBuilder::atBlockBegin(&sizes.getBody().front());
  Location loc = function.getLoc();
  MLIRContext *context = &getContext();
  SmallVector<Value> descriptors;
  for (Packing &packing : packings) {
    for (Operation *op : packing.slice)
      if (!mapping.contains(op))
        builder.clone(*op, mapping);
    // A memref without memory is nothing that its dialect could make.
    MemRefType type = packing.memory.getType();
    auto pointer = LLVM::LLVMPointerType::get(context);
    auto words = LLVM::LLVMArrayType::get(builder.getI64Type(), type.getRank());
    Value descriptor = LLVM::ZeroOp::create(
        builder, loc,
        LLVM::LLVMStructType::getLiteral(
            context, {pointer, pointer, builder.getI64Type(), words, words}));
    Value stride = arith::ConstantIndexOp::create(builder, loc, 1);
    auto insert = [&](Value value, int64_t field, int64_t dim) {
      Value word =
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
      descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, word,
                                               ArrayRef<int64_t>{field, dim});
    };
    SmallVector<OpFoldResult> mixed = packing.memory.getMixedSizes();
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      Value size = getValueOrCreateConstantIndexOp(builder, loc, mixed[dim]);
      size = mapping.lookupOrDefault(size);
      insert(size, 3, dim);
      insert(stride, 4, dim);
      stride = arith::MulIOp::create(builder, loc, stride, size);
    }
    descriptors.push_back(
        UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
            .getResult(0));
  }
  func::ReturnOp::create(builder, loc, descriptors);
}

/// Sizes of weights that are known, or known from elsewhere.
static void resolveSizes(func::FuncOp function,
                         const SetVector<Value> &weights) {
  SmallVector<Operation *> dims;
  function.walk([&](memref::DimOp dim) {
    if (weights.contains(getBaseBuffer(dim.getSource())))
      dims.push_back(dim);
  });
  RewritePatternSet patterns(function.getContext());
  memref::DimOp::getCanonicalizationPatterns(patterns, function.getContext());
  (void)applyOpPatternsGreedily(dims, std::move(patterns));
  // What nothing uses any more, views among it.
  IRRewriter rewriter(function.getContext());
  function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  });
}

void OutlineWeightPacking::rewriteArguments(func::FuncOp function,
                                            MutableArrayRef<Packing> packings) {
  IRRewriter rewriter(&getContext());
  SmallVector<PackedArgument> arguments(function.getNumArguments());
  for (auto [index, argument] : llvm::enumerate(arguments))
    argument.argument = index;
  SetVector<Value> weights;
  auto mark = rewriter.getDictionaryAttr(
      rewriter.getNamedAttr(kWeightAttrName, rewriter.getUnitAttr()));
  // From the last, so that each comes behind its weight in the order of the
  // ops.
  for (Packing &packing : llvm::reverse(packings)) {
    auto weight = cast<BlockArgument>(getBaseBuffer(packing.op.getInput()));
    weights.insert(weight);
    unsigned index = weight.getArgNumber() + 1;
    MemRefType type = packing.memory.getType();
    (void)function.insertArgument(index, type, mark, packing.op.getLoc());
    PackedArgument packed = arguments[index - 1];
    packed.packed = type;
    arguments.insert(arguments.begin() + index, packed);
    rewriter.setInsertionPoint(packing.memory);
    checkSizes(rewriter, function, function.getArgument(index), packing.memory,
               packing.memory.getDynamicSizes());
    replaceMemory(rewriter, packing, function.getArgument(index));
  }
  resolveSizes(function, weights);
  BitVector unused(arguments.size());
  for (Value value : weights) {
    unsigned index = cast<BlockArgument>(value).getArgNumber();
    unused[index] = value.use_empty();
    arguments[index].sizesOnly =
        llvm::all_of(value.getUsers(), llvm::IsaPred<memref::DimOp>);
  }
  (void)function.eraseArguments(unused);
  SmallVector<PackedArgument> left;
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (!unused[index])
      left.push_back(argument);
  function->setAttr(kPackedWeightsAttrName,
                    getPackedWeightsAttr(&getContext(), left));
}

LogicalResult OutlineWeightPacking::outline(func::FuncOp function) {
  SmallVector<Packing> packings;
  SetVector<Value> found;
  bool isCalled = !SymbolTable::symbolKnownUseEmpty(function, getOperation());
  for (Packing &packing : findPackings(function)) {
    auto weight = dyn_cast<BlockArgument>(getBaseBuffer(packing.op.getInput()));
    if (!weight || !function.getArgAttr(weight.getArgNumber(), kWeightAttrName))
      continue;
    std::string reason;
    if (!function.isPublic() || isCalled)
      reason = "the function is called in this module";
    else if (succeeded(findSlice(function, packing, reason))) {
      found.insert_range(packing.weights);
      packings.push_back(std::move(packing));
      continue;
    }
    remark::missed(packing.op.getLoc(), remark::RemarkOpts::name("PackedInCall")
                                            .category(getArgument())
                                            .function(function.getName()))
        << "a weight is packed in every call" << remark::reason("{0}", reason);
  }
  if (packings.empty())
    return success();
  for (StringRef suffix : {kPackWeightsSuffix, kPackedSizesSuffix})
    if (std::string name = (function.getName() + suffix).str();
        Operation *other = symbols->lookup(name)) {
      InFlightDiagnostic error = function.emitOpError("needs the name '")
                                 << name << "' for the packing of its weights";
      error.attachNote(other->getLoc()) << "which something else has";
      return error;
    }
  SmallVector<Value> weights = found.takeVector();
  llvm::sort(weights, [](Value a, Value b) {
    return cast<BlockArgument>(a).getArgNumber() <
           cast<BlockArgument>(b).getArgNumber();
  });
  // By their weights, as the arguments will be.
  auto getNumber = [](PackWeightOp op) {
    return cast<BlockArgument>(getBaseBuffer(op.getInput())).getArgNumber();
  };
  llvm::sort(packings, [&](const Packing &a, const Packing &b) {
    PackWeightOp first = a.op, second = b.op;
    unsigned weight = getNumber(first), other = getNumber(second);
    return weight < other ||
           (weight == other && first->isBeforeInBlock(second));
  });
  createSizesFunction(function, packings, weights);
  createPackFunction(function, packings, weights);
  remark::passed(function.getLoc(), remark::RemarkOpts::name("Outlined")
                                        .category(getArgument())
                                        .function(function.getName()))
      << "weights are packed by a function of their own"
      << remark::metric("weights", packings.size());
  rewriteArguments(function, packings);
  return success();
}

void OutlineWeightPacking::runOnOperation() {
  SymbolTable table(getOperation());
  symbols = &table;
  globals.clear();
  SmallVector<func::FuncOp> functions;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isDeclaration())
      functions.push_back(function);
  for (func::FuncOp function : functions)
    foldConstants(function);
  llvm::SmallPtrSet<Operation *, 4> unread;
  // Constants that were packed and that nothing else reads.
  for (auto &[key, packed] : globals) {
    auto global = cast<memref::GlobalOp>(std::get<0>(key));
    if (unread.insert(global).second && global.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(global, getOperation()))
      table.erase(global);
  }
  for (func::FuncOp function : functions)
    if (failed(outline(function)))
      return signalPassFailure();
}
