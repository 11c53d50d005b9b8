//===- CEntryTest.cpp - Calling compiled functions as C does --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/CEntry.h"
#include "TestUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/ExecutionEngine/CHeader.h"
#include "xfmr/ExecutionEngine/Dispatch.h"
#include "xfmr/ExecutionEngine/HostArray.h"
#include "xfmr/ExecutionEngine/JIT.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::xfmr;
using test::messageOf;
using test::unwrap;
using testing::HasSubstr;

namespace {

// Functions on memrefs as they are after bufferization, some with a status.
const char *const kSource = R"mlir(
// Doubles x into y and returns y, with a fresh copy of its first row, a count
// and a flag.
func.func @twice(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %scale: bf16,
                 %flag: i1)
    -> (memref<?x4xf32>, memref<4xf32>, index, i1, i32)
    attributes {xfmr.status_messages = ["too many rows", "unused"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %ok = arith.constant 0 : i32
  %bad = arith.constant 1 : i32
  %rows = memref.dim %x, %c0 : memref<?x4xf32>
  %few = arith.cmpi ult, %rows, %c9 : index
  %status = arith.select %few, %ok, %bad : i32
  %s = arith.extf %scale : bf16 to f32
  %row = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x4xf32>
      %w = arith.mulf %v, %s : f32
      memref.store %w, %y[%i, %j] : memref<?x4xf32>
      memref.store %w, %row[%j] : memref<4xf32>
    }
  }
  return %y, %row, %rows, %flag, %status
      : memref<?x4xf32>, memref<4xf32>, index, i1, i32
}
// One result, no status.
func.func @same(%x: memref<2x2xf64, strided<[?, 1], offset: ?>>)
    -> memref<2x2xf64, strided<[?, 1], offset: ?>> {
  return %x : memref<2x2xf64, strided<[?, 1], offset: ?>>
}
// Nothing at all.
func.func @nothing() {
  return
}
)mlir";

struct CEntryTest : testing::Test {
  static void SetUpTestSuite() { registerAllPasses(); }

  CEntryTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerXfmrDialect(registry);
    registerLLVMTranslations(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(kSource, &context);
    // What the functions had before they were lowered.
    for (func::FuncOp function : getPublicFunctions(*module)) {
      signatures.push_back(unwrap(EntrySignature::get(function)));
      if (function->hasAttr(kStatusMessagesAttrName))
        signatures.back().results.pop_back();
    }
    PassManager pm(&context);
    static_cast<OpPassManager &>(pm) = *parsePassPipeline(
        "builtin.module(convert-scf-to-cf,finalize-memref-to-llvm,"
        "convert-to-llvm,reconcile-unrealized-casts)");
    EXPECT_TRUE(succeeded(pm.run(*module)));
  }

  std::unique_ptr<JIT> compile(const LLVMModuleOptions &options) {
    CPUTarget host = unwrap(CPUTarget::get("host"));
    auto llvmContext = std::make_unique<llvm::LLVMContext>();
    auto llvmModule = unwrap(
        buildLLVMModule(*module, *llvmContext, host, signatures, options));
    return unwrap(JIT::create(std::move(llvmContext), std::move(llvmModule),
                              host, JITOptions()));
  }

  MLIRContext context;
  Type f32 = Float32Type::get(&context);
  Type f64 = Float64Type::get(&context);
  OwningOpRef<ModuleOp> module;
  std::vector<EntrySignature> signatures;
};

/// The arguments and results of @twice.
struct TwiceCall {
  explicit TwiceCall(Type f32, ArrayRef<int64_t> shapeOfX)
      : x(unwrap(HostArray::create(f32, shapeOfX))),
        y(unwrap(HostArray::create(f32, {shapeOfX[0], 4}))), dx(x), dy(y),
        result0(2), result1(1) {}

  int32_t call(JIT::PackedEntry entry) {
    void *arguments[] = {dx.get(),      dy.get(),      &scale, &flagIn,
                         result0.get(), result1.get(), &count, &flag};
    return entry(arguments);
  }

  HostArray x, y;
  Descriptor dx, dy, result0, result1;
  uint16_t scale = 0x4000; // 2 in bf16
  uint8_t flagIn = 1, flag = 7;
  int64_t count = -1;
};

TEST_F(CEntryTest, ResultsAndStatus) {
  LLVMModuleOptions options;
  options.packedEntries = true;
  for (unsigned level : {0u, 3u}) {
    options.optLevel = level;
    std::unique_ptr<JIT> jit = compile(options);
    JIT::PackedEntry twice = unwrap(jit->lookupPacked("twice"));
    TwiceCall call(f32, {3, 4});
    for (int64_t i = 0; i < 12; ++i)
      writeElement(call.x.getData() + 4 * i, f32, i);
    ASSERT_EQ(call.call(twice), 0);
    EXPECT_EQ(readElement(call.y.getData() + 4 * 11, f32), 22.0);
    // The first result is the destination, the second fresh memory.
    EXPECT_EQ(call.result0.getAllocated(), call.dy.getAllocated());
    EXPECT_EQ(call.result0.getSizes(), ArrayRef<int64_t>({3, 4}));
    EXPECT_EQ(call.result1.getSizes(), ArrayRef<int64_t>({4}));
    EXPECT_EQ(readElement(call.result1.getAligned() + 12, f32), 22.0);
    free(call.result1.getAllocated());
    EXPECT_EQ(call.count, 3);
    EXPECT_EQ(call.flag, 1);
  }
}

TEST_F(CEntryTest, AFailedCheckClearsResults) {
  LLVMModuleOptions options;
  options.packedEntries = true;
  std::unique_ptr<JIT> jit = compile(options);
  JIT::PackedEntry twice = unwrap(jit->lookupPacked("twice"));
  TwiceCall call(f32, {9, 4});
  EXPECT_EQ(call.call(twice), 1);
  EXPECT_EQ(call.result0.getAllocated(), nullptr);
  EXPECT_EQ(call.result0.getSizes(), ArrayRef<int64_t>({0, 0}));
  EXPECT_EQ(call.count, 0);
  EXPECT_EQ(call.flag, 0);
}

TEST_F(CEntryTest, DescriptorsAreChecked) {
  SmallVector<std::string> messages = getDescriptorMessages(signatures[0]);
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0], "argument 0 (arg0): expected size 4 in dimension 1");

  LLVMModuleOptions options;
  options.packedEntries = true;
  std::unique_ptr<JIT> jit = compile(options);
  JIT::PackedEntry twice = unwrap(jit->lookupPacked("twice"));
  // Two messages of the function's own come first.
  TwiceCall wrongSize(f32, {3, 5});
  EXPECT_EQ(wrongSize.call(twice), 3);
  EXPECT_EQ(readElement(wrongSize.y.getData(), f32), 0.0);

  HostArray gaps = unwrap(HostArray::create(f32, {3, 4}, {5, 1}, 0));
  TwiceCall wrongLayout(f32, {3, 4});
  wrongLayout.dx = Descriptor(gaps);
  EXPECT_EQ(wrongLayout.call(twice), 4);
  HostArray shifted = unwrap(HostArray::create(f32, {3, 4}, {4, 1}, 1));
  wrongLayout.dx = Descriptor(shifted);
  EXPECT_EQ(wrongLayout.call(twice), 4);
  wrongLayout.dx = wrongLayout.dy;
  wrongLayout.dy = Descriptor(gaps);
  EXPECT_EQ(wrongLayout.call(twice), 6);

  // The stride of one row does not matter, nor do those of no rows.
  for (int64_t rows : {1, 0}) {
    HostArray one = unwrap(HostArray::create(f32, {rows, 4}, {77, 1}, 0));
    TwiceCall call(f32, {rows, 4});
    call.dx = Descriptor(one);
    EXPECT_EQ(call.call(twice), 0);
    free(call.result1.getAllocated());
  }

  JIT::PackedEntry same = unwrap(jit->lookupPacked("same"));
  HostArray columns = unwrap(HostArray::create(f64, {2, 2}, {1, 2}, 0));
  Descriptor transposed(columns), result(2);
  void *arguments[] = {transposed.get(), result.get()};
  EXPECT_EQ(same(arguments), 2 + 3);
  HostArray padded = unwrap(HostArray::create(f64, {2, 2}, {7, 1}, 3));
  Descriptor good(padded);
  arguments[0] = good.get();
  EXPECT_EQ(same(arguments), 0);
  EXPECT_EQ(result.getStrides(), ArrayRef<int64_t>({7, 1}));
  EXPECT_EQ(result.getOffset(), 3);
  JIT::PackedEntry nothing = unwrap(jit->lookupPacked("nothing"));
  EXPECT_EQ(nothing(nullptr), 0);
}

TEST_F(CEntryTest, ChecksCanBeLeftOut) {
  LLVMModuleOptions options;
  options.packedEntries = true;
  options.checkDescriptors = false;
  std::unique_ptr<JIT> jit = compile(options);
  JIT::PackedEntry twice = unwrap(jit->lookupPacked("twice"));
  TwiceCall call(f32, {3, 5});
  EXPECT_EQ(call.call(twice), 0);
  free(call.result1.getAllocated());
}

TEST_F(CEntryTest, OnlyEntriesAreVisible) {
  llvm::LLVMContext llvmContext;
  auto llvmModule = unwrap(buildLLVMModule(
      *module, llvmContext, unwrap(CPUTarget::get("host")), signatures, {}));
  SmallVector<std::string> visible;
  for (const llvm::Function &function : *llvmModule)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      visible.push_back(function.getName().str());
  EXPECT_THAT(visible,
              testing::UnorderedElementsAre(
                  "twice", "twice_error_message", "same", "same_error_message",
                  "nothing", "nothing_error_message"));
}

TEST_F(CEntryTest, AnotherSignatureIsRefused) {
  signatures[0].arguments.pop_back();
  llvm::LLVMContext llvmContext;
  EXPECT_THAT(
      messageOf(buildLLVMModule(*module, llvmContext,
                                unwrap(CPUTarget::get("host")), signatures,
                                {})),
      HasSubstr("function 'twice' does not have the arguments and results"));
}

TEST_F(CEntryTest, HeaderDeclaresEveryFunction) {
  CHeaderInfo info;
  info.source = "test.mlir";
  info.cpus = "host";
  std::string header = makeCHeader(signatures, info);
  EXPECT_THAT(header,
              HasSubstr("int32_t twice(const xfmr_memref_2d_f32 *arg0,\n"
                        "              const xfmr_memref_2d_f32 *arg1,\n"
                        "              uint16_t arg2,\n"
                        "              bool arg3,\n"
                        "              xfmr_memref_2d_f32 *result0,\n"
                        "              xfmr_memref_1d_f32 *result1,\n"
                        "              int64_t *result2,\n"
                        "              bool *result3);"));
  EXPECT_THAT(header, HasSubstr("int32_t nothing(void);"));
  EXPECT_THAT(header,
              HasSubstr("const char *same_error_message(int32_t status);"));
}

TEST_F(CEntryTest, LevelsAreSorted) {
  SmallVector<CPUTarget> targets;
  SmallVector<CPURequirements> requirements;
  for (StringRef cpu : {"x86-64-v3", "x86-64", "x86-64-v4", "x86-64-v2"}) {
    targets.push_back(unwrap(CPUTarget::get(cpu)));
    requirements.push_back(unwrap(getCPURequirements(targets.back())));
  }
  sortByPreference(targets, requirements);
  SmallVector<std::string> order;
  for (const CPUTarget &target : targets)
    order.push_back(target.cpu);
  EXPECT_THAT(order, testing::ElementsAre("x86-64-v4", "x86-64-v3", "x86-64-v2",
                                          "x86-64"));
}

TEST_F(CEntryTest, SignaturesThatCannotBePassed) {
  auto error = [&](StringRef type) {
    auto parsed = parseSourceString<ModuleOp>(
        ("func.func @f(%a: " + type + ") { return }").str(), &context);
    return messageOf(EntrySignature::get(getPublicFunctions(*parsed)[0]));
  };
  for (StringRef type : {"f80", "i7", "vector<4xf32>", "tensor<*xf32>",
                         "memref<4xcomplex<f32>>", "tensor<4xf8E4M3FN>",
                         "memref<4x4xf32, affine_map<(i, j) -> (i, j floordiv "
                         "2)>>",
                         "tensor<4xf32, \"encoded\">"})
    EXPECT_THAT(error(type), HasSubstr("argument 0 of 'f': type"))
        << type.str();
  EXPECT_EQ(error("memref<4x4xbf16, strided<[1, 4], offset: ?>>"), "");
}

TEST_F(CEntryTest, EntriesAreFound) {
  auto find = [&](StringRef source, StringRef name) {
    auto parsed = parseSourceString<ModuleOp>(source, &context);
    return messageOf(findEntry(*parsed, name));
  };
  StringRef two = "func.func @a() { return }\nfunc.func @b() { return }";
  EXPECT_EQ(find(two, "b"), "");
  EXPECT_EQ(find(two, ""), "the module has several functions, choose one with "
                           "--entry: a, b");
  EXPECT_EQ(find(two, "c"), "no public function 'c', the module has: a, b");
  EXPECT_EQ(find("func.func private @a()", ""),
            "the module has no public function");
}

} // namespace
