//===- DialectTest.h - What the dialect's unit tests start with -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_UNIT_DIALECT_DIALECTTEST_H
#define XFMR_TEST_UNIT_DIALECT_DIALECTTEST_H

#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "gtest/gtest.h"

namespace mlir::xfmr::test {

class DialectTest : public ::testing::Test {
protected:
  DialectTest() {
    DialectRegistry registry;
    registerXfmrDialect(registry);
    registry
        .insert<func::FuncDialect, linalg::LinalgDialect, scf::SCFDialect>();
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    linalg::registerTilingInterfaceExternalModels(registry);
    memref::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
    tensor::registerValueBoundsOpInterfaceExternalModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void parse(StringRef source) {
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
  }

  /// The one op of this kind in the module.
  template <typename OpTy> OpTy find() {
    OpTy found;
    module->walk([&](OpTy op) {
      EXPECT_FALSE(found) << "there are two";
      found = op;
    });
    return found;
  }

  template <typename OpTy> int64_t count() {
    int64_t number = 0;
    module->walk([&](OpTy) { ++number; });
    return number;
  }

  SmallVector<OpFoldResult> indices(ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(&context, values);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_UNIT_DIALECT_DIALECTTEST_H
