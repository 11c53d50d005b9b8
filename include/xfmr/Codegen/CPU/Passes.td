#ifndef XFMR_CODEGEN_CPU_PASSES_TD
#define XFMR_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Vectorising lowerings
//===----------------------------------------------------------------------===//

def LowerContractions : Pass<"xfmr-lower-contractions"> {
  let summary = "Contractions on memrefs become register-tiled vector loops";
  let description = [{
    A multiply-accumulate of two inputs into f32 or f64 (`linalg.matmul`,
    `linalg.batch_matmul`, `linalg.vecmat`, any `linalg.generic` of that kind;
    f16, bf16 and f32 inputs may be widened in the body) on memrefs of any shape
    and strides becomes loops over tiles whose accumulators stay in registers.
    The right side's innermost dim selects the form: with n innermost, vectors lie
    along n and k runs in sequence; with k innermost (weights as checkpoints hold
    them), vectors lie along k and the partial sums of the lanes are added by one
    fixed tree. An element's order of additions does not depend on the number of
    rows, the tile or the position, and every product is one fma.

    Contractions on tensors are left alone: `xfmr-lower-row-groups` rewrites those
    between buffers onto memrefs.

    Changes numerics: yes, within the accumulator type (order of the sum, fma).

    Before:
    ```mlir
    linalg.matmul ins(%a, %w : memref<?x64xf32>, memref<64x32xf32>)
                  outs(%y : memref<?x32xf32>)
    ```
    After, among others:
    ```mlir
    %r:16 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s0 = %y0, ...)
        -> (vector<16xf32>, ...) {
      %w0 = vector.load %w[%k, %n] : memref<64x32xf32>, vector<16xf32>
      ...
      %e0 = memref.load %a[%m, %k] : memref<?x64xf32>
      %v0 = vector.broadcast %e0 : f32 to vector<16xf32>
      %f0 = math.fma %v0, %w0, %s0 : vector<16xf32>
      ...
    }
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", "64",
           "Bytes of a native vector: 16, 32 or 64">,
    Option<"tileRows", "tile-rows", "unsigned", "0",
           "Rows of a register tile, a power of two; 0 chooses by vector-bytes">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerRowGroups : Pass<"xfmr-lower-row-groups"> {
  let summary = "Elementwise ops and reductions over rows become vector loops";
  let description = [{
    In each block, the linalg ops on tensors between `bufferization.to_tensor` and
    `bufferization.materialize_in_destination` that work on the same rows
    (elementwise ops, and reductions over the trailing dims) become one loop over
    the rows. Inside it, every level of reductions is one strip-mined pass and one
    last pass stores all results; elementwise values are computed again in each
    pass, so nothing is stored between passes. Linalg ops on memrefs become row
    groups of their own, as do copies between memrefs that are not contiguous.

    Ops that are in no row group, contractions among them, are rewritten onto
    memrefs; what passes between them and row groups goes through temporaries that
    are freed at the last use in the block. Whatever stays on tensors is named in a
    remark with the reason.

    A row's bits depend on its elements, its length and `vector-bytes` alone.
    Results may lie over operands that are read at the same position.

    Changes numerics: yes, within the accumulator type (order of sums).

    Before:
    ```mlir
    %0 = bufferization.to_tensor %x restrict : memref<?x?xf32> to tensor<?x?xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %2 = linalg.generic {indexing_maps = [#rows_columns, #rows],
                         iterator_types = ["parallel", "reduction"]}
        ins(%0 : tensor<?x?xf32>) outs(%1 : tensor<?xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = math.fma %v, %v, %acc : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    bufferization.materialize_in_destination %2 in restrict writable %y
        : (tensor<?xf32>, memref<?xf32>) -> ()
    ```
    After, among others:
    ```mlir
    scf.for %i = %c0 to %rows step %c1 {
      %sums = scf.for %j = %c0 to %main step %c128 iter_args(%acc = %zeros)
          -> (vector<128xf32>) {
        %v = vector.load %x[%i, %j] : memref<?x?xf32>, vector<128xf32>
        %s = math.fma %v, %v, %acc : vector<128xf32>
        scf.yield %s : vector<128xf32>
      }
      ...
    }
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", "64",
           "Bytes of a native vector: 16, 32 or 64">,
    Option<"accumulators", "accumulators", "unsigned", "8",
           "Vectors of partial sums a pass, a power of two; changes bits">,
    Option<"unroll", "unroll", "unsigned", "4",
           "Native vectors a step of a storing pass, a power of two">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // XFMR_CODEGEN_CPU_PASSES_TD
