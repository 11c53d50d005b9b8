//===- CPUTargetTest.cpp - Facts about CPUs and what they need ------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Target/CPUTarget.h"
#include "TestUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir::xfmr;
using test::messageOf;
using test::unwrap;
using testing::HasSubstr;

namespace {

TEST(CPUTargetTest, TheHostRunsWhatIsCompiledForIt) {
  CPUTarget host = unwrap(CPUTarget::get("host"));
  EXPECT_TRUE(host.isHost);
  EXPECT_EQ(host.cpu, llvm::sys::getHostCPUName().str());
  EXPECT_TRUE(hostMeets(unwrap(getCPURequirements(host))));
  auto machine = unwrap(host.createTargetMachine(llvm::CodeGenOptLevel::None));
  EXPECT_EQ(machine->getTargetCPU(), host.cpu);
}

#if defined(__x86_64__)
TEST(CPUTargetTest, Levels) {
  auto bytes = [](const char *cpu) {
    return unwrap(CPUTarget::get(cpu)).vectorBytes;
  };
  EXPECT_EQ(bytes("x86-64"), 16u);
  EXPECT_EQ(bytes("x86-64-v2"), 16u);
  EXPECT_EQ(bytes("x86-64-v3"), 32u);
  EXPECT_EQ(bytes("x86-64-v4"), 64u);
  EXPECT_EQ(bytes("znver4"), 64u);
  // LLVM prefers half of it here.
  EXPECT_EQ(bytes("sapphirerapids"), 64u);

  CPUTarget v3 = unwrap(CPUTarget::get("x86-64-v3"));
  EXPECT_TRUE(v3.hasFMA && v3.convertsF16);
  EXPECT_FALSE(v3.hasMaskedMemory || v3.hasBF16Dot || v3.convertsBF16);
  EXPECT_EQ(v3.getVectorLanes(32), 8u);

  CPUTarget zen = unwrap(CPUTarget::get("znver5"));
  EXPECT_TRUE(zen.hasBF16Dot && zen.prefersBF16Dot);
  EXPECT_FALSE(zen.hasAMXBF16);
  CPUTarget rapids = unwrap(CPUTarget::get("sapphirerapids"));
  EXPECT_TRUE(rapids.hasBF16Dot && rapids.hasAMXBF16);
  EXPECT_FALSE(rapids.prefersBF16Dot);
  // Loads keep up with multiply-adds where one of 512 bits takes both units.
  EXPECT_TRUE(unwrap(CPUTarget::get("znver4")).foldsBroadcasts);
  EXPECT_FALSE(zen.foldsBroadcasts || rapids.foldsBroadcasts);
  EXPECT_TRUE(zen.shufflesWords);
  EXPECT_FALSE(rapids.shufflesWords);
  EXPECT_LT(rapids.nonTemporalFromBytes, rapids.lastLevelBytes);
}

TEST(CPUTargetTest, EveryNameHasFactsAndRequirements) {
  llvm::SmallVector<std::string> names = CPUTarget::getNames();
  EXPECT_GT(names.size(), 50u);
  for (const std::string &name : names) {
    CPUTarget target = unwrap(CPUTarget::get(name));
    EXPECT_GE(target.vectorBytes, 16u) << name;
    EXPECT_GE(target.lastLevelBytes, target.l1Bytes) << name;
    auto requirements = getCPURequirements(target);
    if (!requirements) {
      // How to ask for these is not written down yet; it must be said.
      EXPECT_THAT(messageOf(std::move(requirements)),
                  HasSubstr("how to test for its feature 'avx10.2'"));
      continue;
    }
    bool isBaseline = name == "x86-64";
    EXPECT_TRUE(!isBaseline || hostMeets(*requirements));
    for (const CPUIDTest &test : requirements->tests)
      EXPECT_NE(test.mask, 0u) << name;
  }
}

TEST(CPUTargetTest, WhatIsMissingIsNoticed) {
  CPURequirements requirements =
      unwrap(getCPURequirements(unwrap(CPUTarget::get("x86-64"))));
  ASSERT_TRUE(hostMeets(requirements));
  CPURequirements reserved = requirements;
  reserved.tests.push_back({1, 0, CPUIDTest::EDX, 1u << 10});
  EXPECT_FALSE(hostMeets(reserved));
  CPURequirements noLeaf = requirements;
  noLeaf.tests.push_back({0x7fffff00, 0, CPUIDTest::EAX, 1});
  EXPECT_FALSE(hostMeets(noLeaf));
  CPURequirements v3 =
      unwrap(getCPURequirements(unwrap(CPUTarget::get("x86-64-v3"))));
  EXPECT_EQ(v3.xcr0Mask, 0x6u);
  CPURequirements noState = v3;
  noState.xcr0Mask = uint64_t(1) << 63;
  EXPECT_FALSE(hostMeets(noState));
}
#endif

TEST(CPUTargetTest, OtherMachines) {
  // LLVM may be built without this code generator.
  llvm::Expected<CPUTarget> arm =
      CPUTarget::get("aarch64-linux-gnu/neoverse-n1");
  if (!arm) {
    EXPECT_THAT(messageOf(std::move(arm)), HasSubstr("no code generator"));
    GTEST_SKIP();
  }
  EXPECT_EQ(arm->triple, "aarch64-unknown-linux-gnu");
  EXPECT_EQ(arm->cpu, "neoverse-n1");
  EXPECT_EQ(arm->getName(), "aarch64-unknown-linux-gnu/neoverse-n1");
  EXPECT_EQ(arm->vectorBytes, 16u);
  EXPECT_EQ(arm->vectorRegisters, 32u);
  EXPECT_FALSE(arm->isHost);
  EXPECT_EQ(unwrap(CPUTarget::get(arm->getName())).l2Bytes, arm->l2Bytes);
  auto machine = unwrap(arm->createTargetMachine(llvm::CodeGenOptLevel::None));
  EXPECT_EQ(machine->getTargetCPU(), "neoverse-n1");
  EXPECT_TRUE(llvm::is_contained(CPUTarget::getNames("aarch64-linux-gnu"),
                                 "neoverse-n1"));
  EXPECT_FALSE(unwrap(CPUTarget::get("host")).isForeign());
#if defined(__x86_64__)
  EXPECT_TRUE(arm->isForeign());
  CPUTarget v3 = unwrap(CPUTarget::get("x86-64-v3"));
  EXPECT_EQ(v3.getName(), "x86-64-v3");
  EXPECT_EQ(unwrap(CPUTarget::get(v3.triple + "/x86-64-v3")).getName(),
            "x86-64-v3");
#endif
}

TEST(CPUTargetTest, UnknownMachines) {
  EXPECT_THAT(messageOf(CPUTarget::get("aarch64-linux-gnu/host")),
              HasSubstr("unknown CPU 'host' for aarch64: "
                        "--cpu=aarch64-linux-gnu/help lists"));
  EXPECT_THAT(messageOf(CPUTarget::get("abacus-linux-gnu/bead")),
              HasSubstr("no code generator for abacus-unknown-linux-gnu"));
  EXPECT_THAT(messageOf(CPUTarget::get("i686-linux-gnu/i686")),
              HasSubstr("expected a 64-bit little-endian machine"));
  EXPECT_TRUE(CPUTarget::getNames("abacus-linux-gnu").empty());
}

TEST(CPUTargetTest, UnknownNames) {
  for (const char *name : {"", "zen9", "help", "pentium", "HOST"})
    EXPECT_THAT(messageOf(CPUTarget::get(name)),
                HasSubstr("--cpu=help lists those that are known"))
        << name;
}

} // namespace
