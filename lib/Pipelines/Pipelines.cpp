//===- Pipelines.cpp - From xfmr ops to LLVM, in named stages -------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Pipelines/Pipelines.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/OpenMPToLLVM/ConvertOpenMPToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/SCFToOpenMP/SCFToOpenMP.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "xfmr/Codegen/CPU/Passes.h"
#include "xfmr/Codegen/Math/Passes.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "xfmr/Target/CPUTarget.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::xfmr;

/// The target's facts. A name that is not known is reported by the pass
/// `xfmr-set-target`, which can say where; until then any facts do.
static CPUTarget getTarget(const CPUPipelineOptions &options) {
  llvm::Expected<CPUTarget> target = CPUTarget::get(options.cpu);
  if (target)
    return *target;
  llvm::consumeError(target.takeError());
  return CPUTarget();
}

static int64_t getParallelFrom(const CPUPipelineOptions &options,
                               const CPUTarget &target) {
  return options.parallelFrom == -1 ? target.parallelFromElements
                                    : options.parallelFrom.getValue();
}

/// Goes over the code once, as what it changes is looked at again by then; a
/// second time, and a search for dead blocks, take as long and find nothing.
static std::unique_ptr<Pass> createShortCanonicalizer() {
  return createCanonicalizerPass(
      GreedyRewriteConfig().setMaxIterations(1).setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled));
}

/// Of loops over vectors: what is left of them is LLVM's to simplify.
static void addShortCleanup(OpPassManager &pm) {
  pm.addPass(createShortCanonicalizer());
  pm.addPass(createCSEPass());
}

/// Two rounds: the first makes values equal that cse then merges, which leaves
/// copies of a buffer onto itself for the second.
static void addCleanup(OpPassManager &pm) {
  addShortCleanup(pm);
  pm.addPass(createShortCanonicalizer());
}

void xfmr::buildExpandStage(OpPassManager &pm,
                            const CPUPipelineOptions &options) {
  pm.addPass(createSetTarget({options.cpu, options.emulate}));
  if (options.runtimeChecks)
    pm.addNestedPass<func::FuncOp>(createInsertRuntimeChecks());
  pm.addPass(createExpandResidualBlocks());
  pm.addPass(createExpandAggregates());
  pm.addPass(createConvertElementwiseToLinalgPass());
  // Of a caller's code as well, with all that may be in it.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createShortCanonicalizer());
}

static void addTileStage(OpPassManager &pm, const CPUPipelineOptions &options,
                         const CPUTarget &target) {
  pm.addPass(createMemrefsToTensors());
  // Dims that another operand knows are static before slices are made of them.
  addCleanup(pm);
  // Static dims that another operand knows: learnt inside a tile, they would
  // make two views of one result that bufferization cannot tell apart.
  pm.addPass(createShortCanonicalizer());
  TileRowsOptions tileRows;
  tileRows.tileRows = options.tileRows;
  tileRows.productRows = target.productRows;
  tileRows.mostProductRows = target.mostProductRows;
  tileRows.productBytes = target.l2Bytes / 2;
  tileRows.threads = options.threads;
  pm.addPass(createTileRows(tileRows));
  addCleanup(pm);
}

void xfmr::buildBufferizeStage(OpPassManager &pm,
                               const CPUPipelineOptions &options) {
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  addCleanup(pm);
  pm.addPass(createDeallocateBuffers());
  pm.addPass(createConvertBufferizationToMemRefPass());
  addCleanup(pm);
}

static void addDecomposeStage(OpPassManager &pm,
                              const CPUPipelineOptions &options,
                              const CPUTarget &target) {
  pm.addPass(createSerializeProductRows());
  // Between whole ops, and between what networks end in and what follows.
  MemrefsToTensorsOptions temporaries;
  temporaries.temporariesOnly = true;
  pm.addPass(createMemrefsToTensors(temporaries));
  DecomposeInTilesOptions decompose;
  decompose.hiddenBlock = options.hiddenBlock == 0
                              ? target.hiddenBlock
                              : options.hiddenBlock.getValue();
  // As many columns as products read at a time.
  decompose.columnBlock = 32 * target.productPanels;
  if (options.hiddenBlock == 0)
    decompose.hiddenElements = target.hiddenElements;
  pm.addPass(createDecomposeInTiles(decompose));
  pm.addPass(createMemrefsToTensors(temporaries));
}

static void addVectorizeStage(OpPassManager &pm,
                              const CPUPipelineOptions &options,
                              const CPUTarget &target) {
  LowerContractionsOptions contractions;
  contractions.batchInvariant = options.batchInvariant;
  contractions.cpu = options.cpu;
  contractions.threads = options.threads;
  LowerRowGroupsOptions rowGroups;
  rowGroups.vectorBytes = target.vectorBytes;
  rowGroups.vectorRegisters = target.vectorRegisters;
  rowGroups.bf16Dot = target.prefersBF16Dot;
  rowGroups.prefetchFromBytes = target.l1Bytes;
  rowGroups.lastLevelBytes = target.lastLevelBytes;
  rowGroups.nonTemporalFromBytes = options.threads == 1
                                       ? target.nonTemporalFromBytes
                                       : target.nonTemporalFromBytesOfThreads;
  // After each pass threads wait for each other.
  if (options.threads != 1)
    rowGroups.shareRowsFrom =
        std::max<int64_t>(1, getParallelFrom(options, target));
  rowGroups.shortRows = target.shortRows;
  rowGroups.shortFunctions = options.numerics == NumericsMode::Relaxed;
  rowGroups.x86 = llvm::Triple(target.triple).isX86();
  // First: it rewrites contractions on tensors onto memrefs.
  pm.addPass(createLowerRowGroups(rowGroups));
  pm.addPass(createLowerContractions(contractions));
  // Zeros that products could not do without.
  pm.addPass(createLowerRowGroups(rowGroups));
  if (options.packWeights)
    pm.addPass(createOutlineWeightPacking({options.runtimeChecks}));
  LowerWeightPackingOptions packing;
  packing.vectorBytes = target.vectorBytes;
  packing.nonTemporalFrom = target.nonTemporalFromBytes;
  packing.l2Bytes = target.l2Bytes;
  packing.threads = options.threads;
  pm.addPass(createLowerWeightPacking(packing));
  // What neither of them knows.
  pm.addPass(createConvertLinalgToLoopsPass());
  addCleanup(pm);
}

static void addParallelizeStage(OpPassManager &pm,
                                const CPUPipelineOptions &options,
                                const CPUTarget &target) {
  LowerRowLoopsOptions rowLoops;
  rowLoops.threads = options.threads;
  rowLoops.parallelFrom = getParallelFrom(options, target);
  pm.addPass(createLowerRowLoops(rowLoops));
  HoistBuffersOptions buffers;
  buffers.separate = options.separateBuffers;
  pm.addPass(createHoistBuffers(buffers));
  if (options.threads != 1) {
    // Parallel loops that a caller's own ops are.
    ConvertSCFToOpenMPPassOptions openMP;
    openMP.numThreads = options.threads;
    pm.addPass(createConvertSCFToOpenMPPass(openMP));
  }
  addShortCleanup(pm);
}

static void addLLVMStage(OpPassManager &pm, const CPUPipelineOptions &options,
                         const CPUTarget &target) {
  if (options.emulate)
    pm.addPass(createEmulateTargetOps());
  // No CPU of ours computes in bf16; what a caller's own ops do in it is done
  // in f32 and rounded, before conversions become integer arithmetic: the
  // native ones lose subnormals, or are calls.
  math::MathExtendToSupportedTypesOptions mathTypes;
  mathTypes.extraTypeStrs = {"f16"};
  pm.addPass(math::createMathExtendToSupportedTypes(mathTypes));
  arith::ArithEmulateUnsupportedFloatsOptions arithTypes;
  arithTypes.sourceTypeStrs = {"bf16"};
  pm.addPass(arith::createArithEmulateUnsupportedFloats(arithTypes));
  ExpandMathOptions expandMath;
  expandMath.nativeMax = llvm::Triple(target.triple).isX86();
  expandMath.nativeScale =
      expandMath.nativeMax && target.vectorBytes == 64 && !options.emulate;
  pm.addPass(createExpandMath(expandMath));
  ExpandNarrowFloatOptions narrowFloat;
  narrowFloat.nativeBF16 =
      target.convertsBF16 && target.vectorBytes == 64 && !options.emulate;
  // Exponentials of all digits keep the units busy that shuffle, too.
  narrowFloat.shuffleWords = narrowFloat.nativeBF16 && target.shufflesWords &&
                             options.numerics == NumericsMode::Relaxed;
  pm.addPass(createExpandNarrowFloat(narrowFloat));
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  addShortCleanup(pm);
  pm.addPass(createSCFToControlFlowPass());
  if (options.runtimeChecks)
    pm.addPass(createRuntimeChecksToStatus());
  pm.addPass(createExportEntries());
  // log(1 + x) has no digits left near 0: the library's log1p has.
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(math));
  pm.addPass(createConvertMathToLibmPass());
  ConvertVectorToLLVMPassOptions vector;
  vector.x86Vector = true;
  pm.addPass(createConvertVectorToLLVMPass(vector));
  pm.addPass(createNarrowMasksToInteger());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertBranchesToLLVM());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createConvertRegionsToLLVM());
  pm.addPass(createNarrowMasksToInteger());
  pm.addPass(createSplitVectorAccesses());
  pm.addPass(createVerifyLowered());
}

void xfmr::buildTileStage(OpPassManager &pm,
                          const CPUPipelineOptions &options) {
  addTileStage(pm, options, getTarget(options));
}

void xfmr::buildDecomposeStage(OpPassManager &pm,
                               const CPUPipelineOptions &options) {
  addDecomposeStage(pm, options, getTarget(options));
}

void xfmr::buildVectorizeStage(OpPassManager &pm,
                               const CPUPipelineOptions &options) {
  addVectorizeStage(pm, options, getTarget(options));
}

void xfmr::buildParallelizeStage(OpPassManager &pm,
                                 const CPUPipelineOptions &options) {
  addParallelizeStage(pm, options, getTarget(options));
}

void xfmr::buildLLVMStage(OpPassManager &pm,
                          const CPUPipelineOptions &options) {
  addLLVMStage(pm, options, getTarget(options));
}

void xfmr::buildLowerToCPUPipeline(OpPassManager &pm,
                                   const CPUPipelineOptions &options) {
  // Once: to look at the machine takes time.
  CPUTarget target = getTarget(options);
  buildExpandStage(pm, options);
  addTileStage(pm, options, target);
  buildBufferizeStage(pm, options);
  addDecomposeStage(pm, options, target);
  addVectorizeStage(pm, options, target);
  addParallelizeStage(pm, options, target);
  addLLVMStage(pm, options, target);
}

void xfmr::registerPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "xfmr-cpu-bufferize-stage",
      "Tensors to memrefs, in place, and the end of buffers' lives",
      buildBufferizeStage);
  PassPipelineRegistration<CPUPipelineOptions>(
      "xfmr-cpu-decompose-stage", "The ops inside the tiles as linalg",
      buildDecomposeStage);
  PassPipelineRegistration<CPUPipelineOptions>(
      "xfmr-cpu-expand-stage",
      "Target attributes, runtime checks, residual blocks expanded",
      buildExpandStage);
  PassPipelineRegistration<CPUPipelineOptions>(
      "xfmr-cpu-llvm-stage", "Vector loops to the LLVM dialect",
      buildLLVMStage);
  PassPipelineRegistration<CPUPipelineOptions>(
      "xfmr-cpu-parallelize-stage",
      "Loops over rows as OpenMP, or sequential for one thread",
      buildParallelizeStage);
  PassPipelineRegistration<CPUPipelineOptions>(
      "xfmr-cpu-tile-stage",
      "One loop over rows for all ops over the same rows", buildTileStage);
  PassPipelineRegistration<CPUPipelineOptions>("xfmr-cpu-vectorize-stage",
                                               "linalg as loops over vectors",
                                               buildVectorizeStage);
  PassPipelineRegistration<CPUPipelineOptions>(
      "xfmr-lower-to-cpu",
      "All stages of the CPU back end, from xfmr ops to the LLVM dialect",
      buildLowerToCPUPipeline);
}
