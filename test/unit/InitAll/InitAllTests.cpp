//===- InitAllTests.cpp - Registration of all that the project has --------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

TEST(InitAll, DialectsRegisterTwice) {
  DialectRegistry registry;
  xfmr::registerAllDialects(registry);
  xfmr::registerAllDialects(registry);
  for (int i = 0; i < 2; ++i) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    EXPECT_NE(context.getOrLoadDialect<xfmr::XfmrDialect>(), nullptr);
    EXPECT_TRUE(context.isOperationRegistered("xfmr.rmsnorm"));
  }
}

TEST(InitAll, PassesAndPipelinesRegisterTwice) {
  for (int i = 0; i < 2; ++i) {
    xfmr::registerAllPasses();
    xfmr::registerAllPipelines();
  }
  for (StringRef name : {"xfmr-to-linalg", "xfmr-expand-math", "xfmr-tile-rows",
                         "xfmr-lower-row-groups"})
    EXPECT_NE(PassInfo::lookup(name), nullptr) << name.str();
  EXPECT_NE(PassPipelineInfo::lookup("xfmr-lower-to-cpu"), nullptr);
}

TEST(InitAll, PipelineRunsWithOurDialectsAlone) {
  DialectRegistry registry;
  xfmr::registerAllDialects(registry);
  xfmr::registerAllPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  PassManager manager(&context);
  ASSERT_TRUE(succeeded(parsePassPipeline("xfmr-to-linalg", manager)));
  EXPECT_TRUE(succeeded(manager.run(*module)));
}

} // namespace
