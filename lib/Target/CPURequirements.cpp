//===- CPURequirements.cpp - What a machine needs to run compiled code ----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Target/CPUTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace llvm;
using namespace mlir::xfmr;

namespace {

/// State that the operating system must save for a feature to be usable.
enum State : uint64_t {
  NoState = 0,
  AVXState = 0x6,
  AVX512State = 0xe6,
  AMXState = 0x60000,
};

struct FeatureBit {
  StringLiteral name;
  uint32_t leaf, subleaf;
  CPUIDTest::Register reg;
  uint8_t bit;
  State state;
};

// From the processor manuals of Intel and AMD.
constexpr FeatureBit featureBits[] = {
    {"cmov", 1, 0, CPUIDTest::EDX, 15, NoState},
    {"sse", 1, 0, CPUIDTest::EDX, 25, NoState},
    {"sse2", 1, 0, CPUIDTest::EDX, 26, NoState},
    {"sse3", 1, 0, CPUIDTest::ECX, 0, NoState},
    {"pclmul", 1, 0, CPUIDTest::ECX, 1, NoState},
    {"ssse3", 1, 0, CPUIDTest::ECX, 9, NoState},
    {"fma", 1, 0, CPUIDTest::ECX, 12, AVXState},
    {"cx16", 1, 0, CPUIDTest::ECX, 13, NoState},
    {"sse4.1", 1, 0, CPUIDTest::ECX, 19, NoState},
    {"sse4.2", 1, 0, CPUIDTest::ECX, 20, NoState},
    {"movbe", 1, 0, CPUIDTest::ECX, 22, NoState},
    {"popcnt", 1, 0, CPUIDTest::ECX, 23, NoState},
    {"aes", 1, 0, CPUIDTest::ECX, 25, NoState},
    {"avx", 1, 0, CPUIDTest::ECX, 28, AVXState},
    {"f16c", 1, 0, CPUIDTest::ECX, 29, AVXState},
    {"bmi", 7, 0, CPUIDTest::EBX, 3, NoState},
    {"avx2", 7, 0, CPUIDTest::EBX, 5, AVXState},
    {"bmi2", 7, 0, CPUIDTest::EBX, 8, NoState},
    {"avx512f", 7, 0, CPUIDTest::EBX, 16, AVX512State},
    {"avx512dq", 7, 0, CPUIDTest::EBX, 17, AVX512State},
    {"adx", 7, 0, CPUIDTest::EBX, 19, NoState},
    {"avx512ifma", 7, 0, CPUIDTest::EBX, 21, AVX512State},
    {"avx512cd", 7, 0, CPUIDTest::EBX, 28, AVX512State},
    {"sha", 7, 0, CPUIDTest::EBX, 29, NoState},
    {"avx512bw", 7, 0, CPUIDTest::EBX, 30, AVX512State},
    {"avx512vl", 7, 0, CPUIDTest::EBX, 31, AVX512State},
    {"avx512vbmi", 7, 0, CPUIDTest::ECX, 1, AVX512State},
    {"avx512vbmi2", 7, 0, CPUIDTest::ECX, 6, AVX512State},
    {"gfni", 7, 0, CPUIDTest::ECX, 8, NoState},
    {"vaes", 7, 0, CPUIDTest::ECX, 9, AVXState},
    {"vpclmulqdq", 7, 0, CPUIDTest::ECX, 10, AVXState},
    {"avx512vnni", 7, 0, CPUIDTest::ECX, 11, AVX512State},
    {"avx512bitalg", 7, 0, CPUIDTest::ECX, 12, AVX512State},
    {"avx512vpopcntdq", 7, 0, CPUIDTest::ECX, 14, AVX512State},
    {"avx512vp2intersect", 7, 0, CPUIDTest::EDX, 8, AVX512State},
    {"amx-bf16", 7, 0, CPUIDTest::EDX, 22, AMXState},
    {"avx512fp16", 7, 0, CPUIDTest::EDX, 23, AVX512State},
    {"amx-tile", 7, 0, CPUIDTest::EDX, 24, AMXState},
    {"amx-int8", 7, 0, CPUIDTest::EDX, 25, AMXState},
    {"sha512", 7, 1, CPUIDTest::EAX, 0, AVXState},
    {"sm3", 7, 1, CPUIDTest::EAX, 1, AVXState},
    {"sm4", 7, 1, CPUIDTest::EAX, 2, AVXState},
    {"avxvnni", 7, 1, CPUIDTest::EAX, 4, AVXState},
    {"avx512bf16", 7, 1, CPUIDTest::EAX, 5, AVX512State},
    {"cmpccxadd", 7, 1, CPUIDTest::EAX, 7, NoState},
    {"amx-fp16", 7, 1, CPUIDTest::EAX, 21, AMXState},
    {"avxifma", 7, 1, CPUIDTest::EAX, 23, AVXState},
    {"avxvnniint8", 7, 1, CPUIDTest::EDX, 4, AVXState},
    {"avxneconvert", 7, 1, CPUIDTest::EDX, 5, AVXState},
    {"amx-complex", 7, 1, CPUIDTest::EDX, 8, AMXState},
    {"avxvnniint16", 7, 1, CPUIDTest::EDX, 10, AVXState},
    {"sahf", 0x80000001, 0, CPUIDTest::ECX, 0, NoState},
    {"lzcnt", 0x80000001, 0, CPUIDTest::ECX, 5, NoState},
    {"sse4a", 0x80000001, 0, CPUIDTest::ECX, 6, NoState},
    {"prfchw", 0x80000001, 0, CPUIDTest::ECX, 8, NoState},
    {"xop", 0x80000001, 0, CPUIDTest::ECX, 11, AVXState},
    {"fma4", 0x80000001, 0, CPUIDTest::ECX, 16, AVXState},
    {"tbm", 0x80000001, 0, CPUIDTest::ECX, 21, NoState},
};

/// Features that every 64-bit processor has, and those whose instructions are
/// never the result of compiling arithmetic.
bool needsNoTest(StringRef feature) {
  return StringSwitch<bool>(feature)
      .Cases({"64bit", "x87", "mmx", "cx8", "fxsr", "crc32", "vzeroupper",
              "evex512"},
             true)
      .Cases({"xsave", "xsavec", "xsaveopt", "xsaves", "fsgsbase", "invpcid",
              "pku", "shstk", "sgx", "pconfig", "ptwrite", "hreset", "uintr",
              "usermsr", "wbnoinvd", "serialize", "enqcmd"},
             true)
      .Cases({"rdrnd", "rdseed", "rdpid", "rdpru", "clflushopt", "clwb",
              "clzero", "cldemote", "mwaitx", "waitpkg", "movdiri", "movdir64b",
              "lwp", "rtm", "tsxldtrk", "kl", "widekl", "prefetchi", "raoint"},
             true)
      .Default(false);
}

} // namespace

Expected<CPURequirements>
mlir::xfmr::getCPURequirements(const CPUTarget &target) {
  if (!Triple(target.triple).isX86())
    return createStringError("cpuid is an x86 instruction: no dispatch for " +
                             target.triple);
  SmallVector<StringRef> features;
  if (target.features.empty()) {
    X86::getFeaturesForCPU(target.cpu, features);
  } else {
    StringRef(target.features).split(features, ',');
    llvm::erase_if(features,
                   [](StringRef feature) { return !feature.starts_with("+"); });
    for (StringRef &feature : features)
      feature = feature.drop_front();
  }

  CPURequirements result;
  // Tested first: without it, the control register cannot be read.
  constexpr uint32_t osxsave = 1u << 27;
  for (StringRef feature : features) {
    if (needsNoTest(feature))
      continue;
    const auto *bit = llvm::find_if(featureBits, [&](const FeatureBit &entry) {
      return entry.name == feature;
    });
    if (bit == std::end(featureBits))
      return createStringError("no dispatch to CPU '" + target.cpu +
                               "': how to test for its feature '" + feature +
                               "' is not known");
    result.xcr0Mask |= bit->state;
    auto *test = llvm::find_if(result.tests, [&](const CPUIDTest &entry) {
      return entry.leaf == bit->leaf && entry.subleaf == bit->subleaf &&
             entry.reg == bit->reg;
    });
    if (test == result.tests.end()) {
      result.tests.push_back({bit->leaf, bit->subleaf, bit->reg, 0});
      test = &result.tests.back();
    }
    test->mask |= 1u << bit->bit;
  }
  if (result.xcr0Mask)
    result.tests.insert(result.tests.begin(),
                        CPUIDTest{1, 0, CPUIDTest::ECX, osxsave});
  return result;
}

bool mlir::xfmr::hostMeets(const CPURequirements &requirements) {
#if defined(__x86_64__)
  for (const CPUIDTest &test : requirements.tests) {
    unsigned registers[4];
    // False where the processor has no such leaf.
    if (!__get_cpuid_count(test.leaf, test.subleaf, &registers[0],
                           &registers[1], &registers[2], &registers[3]) ||
        (registers[test.reg] & test.mask) != test.mask)
      return false;
  }
  if (requirements.xcr0Mask) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    uint64_t xcr0 = (uint64_t(high) << 32) | low;
    return (xcr0 & requirements.xcr0Mask) == requirements.xcr0Mask;
  }
  return true;
#else
  (void)requirements;
  return false;
#endif
}
