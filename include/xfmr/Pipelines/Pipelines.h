//===- Pipelines.h - From xfmr ops to LLVM, in named stages -----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `xfmr-lower-to-cpu` takes a module of functions on tensors or memrefs to the
// LLVM dialect. It is the sequence of the stages below, each a pipeline of its
// own (`xfmr-cpu-<name>-stage`) with the same options.
//
// What a compiled function looks like from outside: a tensor becomes a memref
// of identity layout (unless the argument says otherwise), a public function
// has a C interface `_mlir_ciface_<name>`. A result is written where its
// destination says: when that leads to an argument, the result's descriptor is
// the argument's; any other returned buffer is fresh, and the caller frees the
// `allocated` pointer of its descriptor with `free`.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_PIPELINES_PIPELINES_H
#define XFMR_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

#include <cstdint>
#include <string>

namespace mlir {
class OpPassManager;

namespace xfmr {

/// What a pass may do to the bits of a result; see docs/Numerics.md.
enum class NumericsMode { Exact, Relaxed };

/// The options of `xfmr-lower-to-cpu` and of each of its stages.
struct CPUPipelineOptions : public PassPipelineOptions<CPUPipelineOptions> {
  Option<bool> batchInvariant{
      *this, "batch-invariant",
      llvm::cl::desc("a row's bits do not depend on how many rows there are: "
                     "products of f16 and bf16 take one path for all of them"),
      llvm::cl::init(false)};
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("the CPU to compile for: host, or a name that LLVM knows, "
                     "such as x86-64-v3 or znver5"),
      llvm::cl::init("host")};
  Option<bool> emulate{
      *this, "emulate",
      llvm::cl::desc("lower as for cpu, but make code for the host: the CPU's "
                     "own instructions are emulated"),
      llvm::cl::init(false)};
  Option<unsigned> threads{
      *this, "threads",
      llvm::cl::desc("how many threads the code may use; above 1 it needs an "
                     "OpenMP runtime, and 0 leaves the number to that runtime"),
      llvm::cl::init(1)};
  Option<int64_t> parallelFrom{
      *this, "parallel-from",
      llvm::cl::desc("elements of a norm that are worth starting threads for, "
                     "other work is measured by it; -1 leaves it to the "
                     "target's facts"),
      llvm::cl::init(-1)};
  Option<NumericsMode> numerics{
      *this, "numerics",
      llvm::cl::desc("which changes of rounding are allowed"),
      llvm::cl::init(NumericsMode::Exact),
      llvm::cl::values(
          clEnumValN(NumericsMode::Exact, "exact",
                     "no rounding is added, removed or moved"),
          clEnumValN(NumericsMode::Relaxed, "relaxed",
                     "also what docs/Numerics.md lists as relaxed"))};
  Option<int64_t> tileRows{
      *this, "tile-rows",
      llvm::cl::desc("rows of a tile; 0 chooses by what the tile computes"),
      llvm::cl::init(0)};
  Option<int64_t> hiddenBlock{
      *this, "hidden-block",
      llvm::cl::desc("how many hidden values of a feed-forward network are "
                     "computed before they are multiplied by the down "
                     "weights; 0 as the target's facts say"),
      llvm::cl::init(0)};
  Option<bool> packWeights{
      *this, "pack-weights",
      llvm::cl::desc("pack weights outside of the functions that use them, "
                     "which then take packed weights; otherwise weights are "
                     "packed in every call"),
      llvm::cl::init(true)};
  Option<bool> separateBuffers{
      *this, "separate-buffers",
      llvm::cl::desc("make each temporary an allocation of its own, for an "
                     "allocator that finds writes beyond one"),
      llvm::cl::init(false)};
  Option<bool> runtimeChecks{
      *this, "runtime-checks",
      llvm::cl::desc("check shapes at run time: public functions get a last "
                     "result, 0 or the number of the check that failed"),
      llvm::cl::init(false)};
};

/// Target attributes, runtime checks, and ops with regions or of other forms as
/// those that the later stages know.
void buildExpandStage(OpPassManager &pm, const CPUPipelineOptions &options);
/// Loops over rows, with all ops over the same rows in one.
void buildTileStage(OpPassManager &pm, const CPUPipelineOptions &options);
/// Tensors to memrefs, in place, and the end of temporary buffers' lives.
void buildBufferizeStage(OpPassManager &pm, const CPUPipelineOptions &options);
/// The ops inside the tiles as linalg.
void buildDecomposeStage(OpPassManager &pm, const CPUPipelineOptions &options);
/// linalg as loops over vectors.
void buildVectorizeStage(OpPassManager &pm, const CPUPipelineOptions &options);
/// Loops over rows as OpenMP, or as sequential loops.
void buildParallelizeStage(OpPassManager &pm,
                           const CPUPipelineOptions &options);
/// All that is left to the LLVM dialect.
void buildLLVMStage(OpPassManager &pm, const CPUPipelineOptions &options);

/// All stages, in the order above.
void buildLowerToCPUPipeline(OpPassManager &pm,
                             const CPUPipelineOptions &options);

/// Registers `xfmr-lower-to-cpu` and its stages.
void registerPipelines();

} // namespace xfmr
} // namespace mlir

#endif // XFMR_PIPELINES_PIPELINES_H
