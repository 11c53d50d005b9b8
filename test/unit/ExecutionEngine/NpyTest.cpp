//===- NpyTest.cpp - Reading and writing .npy files -----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "xfmr/ExecutionEngine/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::xfmr;
using test::unwrap;
using testing::HasSubstr;

namespace {

/// A file as NumPy writes it, with the dictionary given.
std::string makeFile(StringRef dictionary, StringRef data,
                     char version = '\1') {
  std::string header = dictionary.str() + "\n";
  std::string file("\x93NUMPY");
  file += version;
  file += '\0';
  for (unsigned byte = 0; byte < (version == '\1' ? 2 : 4); ++byte)
    file += static_cast<char>(header.size() >> (8 * byte));
  return file + header + data.str();
}

struct NpyTest : testing::Test {
  MLIRContext context;
  Type f32 = Float32Type::get(&context);
  Type bf16 = BFloat16Type::get(&context);
  Type f16 = Float16Type::get(&context);
  Type i1 = IntegerType::get(&context, 1);

  std::string errorOf(StringRef contents, Type type) {
    return test::messageOf(parseNpy(contents, "x.npy", type));
  }
};

const std::string kData("\0\0\x80\x3f\0\0\0\x40", 8); // 1, 2 in f32

TEST_F(NpyTest, ReadsEveryFormat) {
  StringRef dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  for (char version : {'\1', '\2', '\3'}) {
    HostArray array =
        unwrap(parseNpy(makeFile(dictionary, kData, version), "x.npy", f32));
    EXPECT_EQ(array.getShape(), ArrayRef<int64_t>({2}));
    EXPECT_EQ(readElement(array.getData(), f32), 1.0);
    EXPECT_EQ(readElement(array.getData() + 4, f32), 2.0);
  }
}

TEST_F(NpyTest, KeysInAnyOrderAndQuotes) {
  HostArray array = unwrap(parseNpy(
      makeFile("{\"shape\":(1,2,1),\"descr\":\"<f4\",\"fortran_order\":True}",
               kData),
      "x.npy", f32));
  EXPECT_EQ(array.getShape(), ArrayRef<int64_t>({1, 2, 1}));
}

TEST_F(NpyTest, Bfloat16IsBits) {
  for (const char *type : {"<u2", "<V2", "|V2"}) {
    HostArray array =
        unwrap(parseNpy(makeFile(std::string("{'descr': '") + type +
                                     "', 'fortran_order': False, 'shape': ()}",
                                 StringRef("\x80\x3f", 2)),
                        "x.npy", bf16));
    EXPECT_TRUE(array.getShape().empty());
    EXPECT_EQ(readElement(array.getData(), bf16), 1.0);
  }
}

TEST_F(NpyTest, ErrorsAreOneLine) {
  StringRef good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_THAT(errorOf("", f32), HasSubstr("x.npy: not a .npy file"));
  EXPECT_THAT(errorOf("\x93NUMPY", f32), HasSubstr("header is cut off"));
  EXPECT_THAT(errorOf(makeFile(good, kData, '\x9'), f32),
              HasSubstr("unknown .npy format 9"));
  EXPECT_THAT(errorOf(StringRef(makeFile(good, "")).drop_back(9), f32),
              HasSubstr("header is cut off"));
  EXPECT_THAT(errorOf(makeFile(good, StringRef(kData).drop_back()), f32),
              HasSubstr("the file is short: 2xf32 takes 8 bytes behind the "
                        "header, it has 7"));
  EXPECT_THAT(errorOf(makeFile(good, kData + "x"), f32),
              HasSubstr("1 bytes follow the array"));
  EXPECT_THAT(errorOf(makeFile(good, kData), bf16),
              HasSubstr("expected elements of type bf16 ('<u2' or '<V2' or "
                        "'|V2'), the file has '<f4'"));
  EXPECT_THAT(errorOf(makeFile("{'descr': '>f4', 'fortran_order': False, "
                               "'shape': (2,), }",
                               kData),
                      f32),
              HasSubstr("the file has '>f4'"));
  EXPECT_THAT(errorOf(makeFile("{'descr': '<f4', 'fortran_order': True, "
                               "'shape': (2, 2), }",
                               kData + kData),
                      f32),
              HasSubstr("Fortran order"));
  EXPECT_THAT(errorOf(makeFile("{'descr': [('a', '<f4')], 'fortran_order': "
                               "False, 'shape': (2,), }",
                               kData),
                      f32),
              HasSubstr("the file has 'a record'"));
  EXPECT_THAT(errorOf(makeFile("{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (9223372036854775807, 4), }",
                               kData),
                      f32),
              HasSubstr("too large for memory"));
  for (StringRef bad :
       {"", "{", "{'descr'", "{'descr': ", "{'descr': '<f4'",
        "{'descr': '<f4', 'fortran_order': False}", "{'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': [[[, 'shape': (2,)}", "{'shape': (2 3)}"})
    EXPECT_THAT(errorOf(makeFile(bad, kData), f32),
                HasSubstr("the header is not one of a .npy file"))
        << bad.str();
}

TEST_F(NpyTest, EveryTruncationIsAnError) {
  std::string file = makeFile(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", kData);
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(errorOf(StringRef(file).take_front(size), f32), "") << size;
}

TEST_F(NpyTest, WhatIsWrittenIsReadBack) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("npy", "npy", path));
  llvm::FileRemover remover(path);
  for (Type type :
       {f32, bf16, f16, i1, Type(Float64Type::get(&context)),
        Type(IndexType::get(&context)), Type(IntegerType::get(&context, 8))}) {
    // Column-major memory: the file is row-major all the same.
    HostArray array = unwrap(HostArray::create(type, {2, 3}, {1, 2}, 0));
    int64_t value = 0, bytes = array.getBytes().size() / 6;
    forEachElement(array.getShape(), array.getStrides(), [&](int64_t place) {
      writeElement(array.getData() + place * bytes, type, value++);
    });
    EXPECT_EQ(test::messageOf(writeNpy(path, type, array.getShape(),
                                       array.getStrides(), array.getData())),
              "");
    auto buffer = llvm::MemoryBuffer::getFile(path);
    EXPECT_EQ((*buffer)->getBufferSize() % 64, 6u * bytes % 64);
    HostArray back = unwrap(readNpy(path, type));
    EXPECT_TRUE(back.isContiguous());
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_EQ(readElement(back.getData() + i * bytes, type),
                type == i1 ? i != 0 : i);
  }
  EXPECT_EQ(test::messageOf(writeNpy("/nowhere/x.npy", f32, {}, {}, "1234")),
            "/nowhere/x.npy: No such file or directory");
  EXPECT_EQ(test::messageOf(readNpy("/nowhere/x.npy", f32)),
            "/nowhere/x.npy: No such file or directory");
}

} // namespace
