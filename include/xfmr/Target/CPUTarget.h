//===- CPUTarget.h - Facts about the CPU compiled for -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Target facts are data: what tiling, vectorisation and code generation need to
// know of a CPU is a field of CPUTarget, filled from LLVM's own description of
// the CPU's features and from one table of measured facts (CPUTarget.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TARGET_CPUTARGET_H
#define XFMR_TARGET_CPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mlir::xfmr {

/// A CPU to compile for, and what is known of it.
struct CPUTarget {
  /// LLVM's name of the CPU, e.g. `znver5` or `x86-64-v3`; for `host` the name
  /// that LLVM detects.
  std::string cpu;
  /// LLVM's feature string beside the name. Empty for a named CPU; for the host
  /// it turns off what the machine or its operating system lacks.
  std::string features;
  /// The target triple.
  std::string triple;
  /// True for the machine that the compiler runs on.
  bool isHost = false;

  /// Bytes of the widest vector register that code should use.
  unsigned vectorBytes = 16;
  /// How many vector registers there are.
  unsigned vectorRegisters = 16;
  /// Fused multiply-add on vectors.
  bool hasFMA = false;
  /// Lanes of a vector can be masked in loads and stores (AVX-512, SVE).
  bool hasMaskedMemory = false;

  /// f32 <-> f16 conversion on vectors.
  bool convertsF16 = false;
  /// f32 -> bf16 conversion on vectors, rounding to nearest even.
  bool convertsBF16 = false;
  /// `vdpbf16ps`: products of bf16 pairs accumulated in f32.
  bool hasBF16Dot = false;
  /// The dot product above is faster than widening and f32 FMA.
  bool prefersBF16Dot = false;
  /// A multiply-add takes a broadcast number from memory at no cost, also one
  /// that the next takes as well: loads keep up, and it is one instruction
  /// less.
  bool foldsBroadcasts = false;
  /// A shuffle of the 16-bit words of two vectors is one instruction of one
  /// cycle, as others are.
  bool shufflesWords = false;
  /// AMX tiles, with bf16 and int8 products.
  bool hasAMXBF16 = false;
  bool hasAMXInt8 = false;
  /// Rows from which on tiles multiply bf16 faster than vectors do: weights
  /// that come from memory, and weights that an L2 cache holds.
  int64_t amxFromRows = 4;
  int64_t amxFromRowsInL2 = 2;

  /// Cache sizes in bytes: one core's L1 data and L2, and the last level.
  int64_t l1Bytes = 32 * 1024;
  int64_t l2Bytes = 512 * 1024;
  int64_t lastLevelBytes = 8 * 1024 * 1024;
  /// Outputs of this many bytes and more are worth non-temporal stores.
  int64_t nonTemporalFromBytes = 8 * 1024 * 1024;
  /// The same where several threads store them: into the last cache these are
  /// faster than one, past it they are not.
  int64_t nonTemporalFromBytesOfThreads = 8 * 1024 * 1024;
  /// Work below that on this many elements of a norm is not worth starting
  /// threads for: about 3 microseconds on one core.
  int64_t parallelFromElements = 49152;

  /// Rows that are multiplied by a weight while it is in a cache: at least, and
  /// at most where that many fit half of the L2 cache.
  int64_t productRows = 128, mostProductRows = 128;
  /// Panels of 32 columns that one row reads at a time, each of them a stream
  /// from memory.
  int64_t productPanels = 4;
  /// Hidden values of a row that are computed before a network's down product
  /// takes them; and hidden values of all rows, where these are few and known:
  /// each block is a start of threads.
  int64_t hiddenBlock = 1024, hiddenElements = 16384;
  /// Short rows that are taken a step, at most.
  int64_t shortRows = 4;

  /// How many elements of the given width a vector register holds.
  unsigned getVectorLanes(unsigned elementBits) const {
    return vectorBytes * 8 / elementBits;
  }

  /// The facts of `cpu`: `host`, a name that LLVM knows for the target of this
  /// machine, or for another machine a triple and a name that LLVM knows there:
  /// `aarch64-linux-gnu/neoverse-n1`. An unknown name is an error that tells
  /// how to list them. A CPU without a row of its own gets what follows from
  /// its features.
  static llvm::Expected<CPUTarget> get(llvm::StringRef cpu);

  /// What `get` takes for this target.
  std::string getName() const;

  /// Whether it is of another architecture than this machine.
  bool isForeign() const;

  /// The names that `get` takes beside `host`, as far as LLVM lists them; with
  /// a triple, those that it takes behind that.
  static llvm::SmallVector<std::string> getNames(llvm::StringRef triple = {});

  /// A target machine for this CPU, making position-independent code.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  createTargetMachine(llvm::CodeGenOptLevel level) const;
};

/// One requirement on the registers that `cpuid` fills: `(reg & mask) == mask`.
struct CPUIDTest {
  enum Register { EAX, EBX, ECX, EDX };
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  uint32_t mask;
};

/// What must hold for code compiled for a CPU to run: tests of cpuid, and the
/// bits of the extended control register 0 that the operating system must set.
struct CPURequirements {
  llvm::SmallVector<CPUIDTest> tests;
  uint64_t xcr0Mask = 0;
};

/// The requirements of `target`; an error when it is not an x86 CPU. Features
/// that no compiled code makes use of (such as system instructions) are not
/// required.
llvm::Expected<CPURequirements> getCPURequirements(const CPUTarget &target);

/// Whether the machine that this runs on meets `requirements`.
bool hostMeets(const CPURequirements &requirements);

} // namespace mlir::xfmr

#endif // XFMR_TARGET_CPUTARGET_H
