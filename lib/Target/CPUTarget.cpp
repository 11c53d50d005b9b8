//===- CPUTarget.cpp - Facts about the CPU compiled for -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Target/CPUTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;
using namespace mlir::xfmr;

namespace {

/// What the features of a CPU do not tell. Zero where nothing is known.
struct MeasuredFacts {
  StringLiteral cpu;
  bool prefersBF16Dot;
  bool foldsBroadcasts;
  bool shufflesWords;
  int64_t l1KiB, l2KiB, lastLevelKiB;
  /// Non-temporal stores pay from so many times the size of the L2 cache on; 0:
  /// from the size of the last level.
  int64_t nonTemporalFromL2;
  int64_t productPanels;
};

// vdpbf16ps runs at twice the f32 rate on AMD's cores and at half of it on
// Intel's. Two loads for each 512-bit multiply-add keep up with it where it
// takes two of the units, as in Zen 4. vpermt2w is three instructions on
// Intel's cores. One row reads weights at 90 % of the bandwidth from four
// panels and at all of it from eight on Emerald Rapids, and from four on AMD's.
// Sizes are of the smallest part sold under the name.
constexpr MeasuredFacts measuredFacts[] = {
    {"x86-64-v3", false, false, false, 32, 256, 8192, 0, 4},
    {"x86-64-v4", false, false, false, 32, 1024, 8192, 0, 4},
    {"haswell", false, false, false, 32, 256, 8192, 0, 4},
    {"broadwell", false, false, false, 32, 256, 8192, 0, 4},
    {"skylake", false, false, false, 32, 256, 8192, 0, 4},
    {"skylake-avx512", false, false, false, 32, 1024, 11264, 1, 4},
    {"cascadelake", false, false, false, 32, 1024, 11264, 1, 4},
    {"cooperlake", false, false, false, 32, 1024, 11264, 1, 4},
    {"icelake-server", false, false, false, 48, 1280, 12288, 1, 4},
    {"sapphirerapids", false, false, false, 48, 2048, 15360, 1, 8},
    {"emeraldrapids", false, false, false, 48, 2048, 22528, 1, 8},
    {"graniterapids", false, false, false, 48, 2048, 32768, 1, 8},
    {"znver1", false, false, false, 32, 512, 8192, 0, 4},
    {"znver2", false, false, false, 32, 512, 16384, 0, 4},
    {"znver3", false, false, false, 32, 512, 32768, 0, 4},
    {"znver4", true, true, true, 32, 1024, 32768, 6, 4},
    {"znver5", true, false, true, 48, 1024, 32768, 0, 4},
    {"neoverse-n1", false, false, false, 64, 1024, 32768, 0, 4},
    {"neoverse-v1", true, false, false, 64, 1024, 32768, 0, 4},
    {"neoverse-v2", true, false, false, 64, 1024, 36864, 0, 4},
    {"apple-m1", false, false, false, 128, 12288, 12288, 0, 4},
};

/// Registers LLVM's code generators: that of this machine, or all of them. Safe
/// to be called any number of times.
void initializeTargets(bool all) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  if (!all)
    return;
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
}

bool isOfThisMachine(const Triple &triple) {
  return triple.getArch() == Triple(sys::getProcessTriple()).getArch();
}

Expected<const Target *> lookupTarget(StringRef triple) {
  initializeTargets(/*all=*/!isOfThisMachine(Triple(triple)));
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(Triple(triple), message);
  if (!target)
    return createStringError("no code generator for " + triple + ": " +
                             message);
  return target;
}

std::string getHostFeatures() {
  SubtargetFeatures features;
  // The order of a StringMap is not that of its keys.
  StringMap<bool> map = sys::getHostCPUFeatures();
  SmallVector<StringRef> names(map.keys());
  llvm::sort(names);
  for (StringRef name : names)
    features.AddFeature(name, map.lookup(name));
  return features.getString();
}

void setNonTemporalSize(CPUTarget &target, int64_t nonTemporalFromL2) {
  target.nonTemporalFromBytes = nonTemporalFromL2
                                    ? nonTemporalFromL2 * target.l2Bytes
                                    : target.lastLevelBytes;
  target.nonTemporalFromBytesOfThreads = target.nonTemporalFromBytes;
  // Where those of one thread stay in the last cache up to some size.
  if (target.nonTemporalFromBytes > target.l2Bytes)
    target.nonTemporalFromBytesOfThreads =
        std::max(target.nonTemporalFromBytes, target.lastLevelBytes / 2);
}

/// Reads the cache sizes that Linux states; sysconf() reports the sum over all
/// cores for some processors.
void refineByHost(CPUTarget &target) {
  for (unsigned index = 0; index < 8; ++index) {
    auto read = [&](StringRef file) -> std::string {
      auto buffer = MemoryBuffer::getFileAsStream(
          ("/sys/devices/system/cpu/cpu0/cache/index" + Twine(index) + "/" +
           file)
              .str());
      return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
    };
    std::string level = read("level"), type = read("type"), size = read("size");
    int64_t kiB;
    StringRef digits = size;
    if (type == "Instruction" || !digits.consume_back("K") ||
        digits.getAsInteger(10, kiB))
      continue;
    if (level == "1")
      target.l1Bytes = kiB * 1024;
    if (level == "2")
      target.l2Bytes = kiB * 1024;
    if (level == "2" || level == "3")
      target.lastLevelBytes = kiB * 1024;
  }
}

void fillFromFeatures(CPUTarget &target, const MCSubtargetInfo &info,
                      const Triple &triple) {
  auto has = [&](StringRef feature) {
    return info.checkFeatures(feature.str());
  };
  if (triple.isAArch64()) {
    // Fixed-length code uses the 128-bit registers whatever the SVE length.
    target.vectorBytes = 16;
    target.vectorRegisters = 32;
    target.hasFMA = true;
    target.convertsF16 = true;
    target.hasBF16Dot = target.convertsBF16 = has("+bf16");
    target.prefersBF16Dot = target.hasBF16Dot;
    return;
  }
  if (!triple.isX86())
    return;
  bool avx512 = has("+avx512f") && has("+avx512vl") && has("+avx512bw") &&
                has("+avx512dq");
  target.vectorBytes = avx512 ? 64 : has("+avx2") ? 32 : 16;
  target.vectorRegisters = avx512 ? 32 : 16;
  target.hasFMA = has("+fma") || avx512;
  target.hasMaskedMemory = avx512;
  target.convertsF16 = has("+f16c") || avx512;
  target.hasBF16Dot = target.convertsBF16 = has("+avx512bf16") && avx512;
  target.hasAMXBF16 = has("+amx-bf16");
  target.hasAMXInt8 = has("+amx-int8");
  // Tiles multiply faster than memory delivers weights for few rows, and than
  // sums of a block are added up where blocks are short. More rows than these,
  // and a block of their hidden values does not stay in half of an L2 cache.
  if (target.hasAMXBF16) {
    target.mostProductRows = 256;
    target.hiddenBlock = 4096;
  }
}

} // namespace

Expected<CPUTarget> CPUTarget::get(StringRef name) {
  auto [machine, cpu] = name.rsplit('/');
  if (cpu.empty())
    std::swap(machine, cpu);
  CPUTarget target;
  target.isHost = name == "host";
  target.triple =
      machine.empty() ? sys::getProcessTriple() : Triple::normalize(machine);
  target.cpu = target.isHost ? sys::getHostCPUName().str() : cpu.str();
  if (target.isHost)
    target.features = getHostFeatures();

  Expected<const Target *> llvmTarget = lookupTarget(target.triple);
  if (!llvmTarget)
    return llvmTarget.takeError();
  Triple triple(target.triple);
  if (!triple.isArch64Bit() || !triple.isLittleEndian())
    return createStringError("no code for " + target.triple +
                             ": expected a 64-bit little-endian machine");
  // Asking for the features of an unknown CPU makes LLVM warn on stderr.
  std::unique_ptr<MCSubtargetInfo> generic(
      (*llvmTarget)->createMCSubtargetInfo(triple, "", ""));
  bool known =
      generic && generic->isCPUStringValid(target.cpu) &&
      (!triple.isX86() ||
       X86::parseArchX86(target.cpu, triple.isArch64Bit()) != X86::CK_None);
  if (!known && !target.isHost)
    return createStringError("unknown CPU '" + cpu + "' for " +
                             triple.getArchName() + ": --cpu=" + machine +
                             (machine.empty() ? "" : "/") +
                             "help lists those that are known");
  // A host that this LLVM does not know is described by its features alone.
  if (!known)
    target.cpu = triple.isX86() ? "x86-64" : "generic";

  std::unique_ptr<MCSubtargetInfo> info(
      (*llvmTarget)
          ->createMCSubtargetInfo(triple, target.cpu, target.features));
  fillFromFeatures(target, *info, triple);

  const auto *row = llvm::find_if(measuredFacts, [&](const MeasuredFacts &row) {
    return row.cpu == target.cpu;
  });
  int64_t nonTemporalFromL2 = 0;
  if (row != std::end(measuredFacts)) {
    target.prefersBF16Dot = target.hasBF16Dot && row->prefersBF16Dot;
    target.foldsBroadcasts = target.hasMaskedMemory && row->foldsBroadcasts;
    target.shufflesWords = target.hasMaskedMemory && row->shufflesWords;
    target.l1Bytes = row->l1KiB * 1024;
    target.l2Bytes = row->l2KiB * 1024;
    target.lastLevelBytes = row->lastLevelKiB * 1024;
    nonTemporalFromL2 = row->nonTemporalFromL2;
    target.productPanels = row->productPanels;
  }
  if (target.isHost)
    refineByHost(target);
  setNonTemporalSize(target, nonTemporalFromL2);
  return target;
}

std::string CPUTarget::getName() const {
  if (isHost)
    return "host";
  return triple == sys::getProcessTriple() ? cpu : triple + "/" + cpu;
}

bool CPUTarget::isForeign() const { return !isOfThisMachine(Triple(triple)); }

SmallVector<std::string> CPUTarget::getNames(StringRef machine) {
  Triple triple(machine.empty() ? sys::getProcessTriple()
                                : Triple::normalize(machine));
  SmallVector<std::string> names;
  if (triple.isX86()) {
    SmallVector<StringRef> list;
    X86::fillValidCPUArchList(list, triple.isArch64Bit());
    names.assign(list.begin(), list.end());
  } else if (Expected<const Target *> target = lookupTarget(triple.str())) {
    std::unique_ptr<MCSubtargetInfo> info(
        (*target)->createMCSubtargetInfo(triple, "", ""));
    for (const SubtargetSubTypeKV &cpu : info->getAllProcessorDescriptions())
      names.push_back(cpu.Key);
  } else {
    consumeError(target.takeError());
  }
  return names;
}

Expected<std::unique_ptr<TargetMachine>>
CPUTarget::createTargetMachine(CodeGenOptLevel level) const {
  Expected<const Target *> target = lookupTarget(triple);
  if (!target)
    return target.takeError();
  TargetOptions options;
  std::unique_ptr<TargetMachine> machine((*target)->createTargetMachine(
      Triple(triple), cpu, features, options, Reloc::PIC_,
      /*CM=*/std::nullopt, level));
  if (!machine)
    return createStringError("no target machine for " + triple);
  return machine;
}
