#ifndef XFMR_CODEGEN_CPU_PRODUCTS_TD
#define XFMR_CODEGEN_CPU_PRODUCTS_TD

include "mlir/Pass/PassBase.td"

// Products and their packed weights; a part of Passes.td.

def LowerContractions : Pass<"xfmr-lower-contractions", "::mlir::ModuleOp"> {
  let summary = "Contractions on memrefs become register-tiled vector loops";
  let description = [{
    A multiply-accumulate of two inputs into f32 or f64 (`linalg.matmul`,
    `linalg.batch_matmul`, `linalg.vecmat`, any `linalg.generic` of that kind;
    f16, bf16 and f32 inputs may be widened in the body) on memrefs of any shape
    and strides becomes loops over tiles whose accumulators stay in registers.

    A contraction of rows with one matrix becomes a product of packed panels
    (`xfmr.pack_weight`): one iteration of an `scf.forall` for each group of four
    panels, or for each of `threads`, that calls a private function
    `@xfmr_panel_product_*`, one for all products of the same element types. That
    one calls a function for each
    register tile, `@xfmr_panel_tile_*`, whose name says how many rows and panels
    the tile has. A matrix that is part of an argument
    marked `xfmr.weight`, or of a constant, is packed at the function's entry, as
    a whole and once; its part may begin anywhere at a multiple of a panel. Of any
    other matrix, a group of panels is packed each time that it is multiplied: the
    same bits, later. A remark says so, and how many bytes are moved.

    An element's sum is that of blocks of 64 inputs (128 where weights have 16
    bits), each one chain from zero in the order of inputs, added in order to what
    the output holds. So bits depend neither on the number of rows or columns, nor
    on the tile, the position or how the weight was packed. With bf16 rows and
    weights, and a target that is faster so, a step adds the products of a pair of
    inputs, the odd one first, by `x86vector.avx512.dot`; sums below 2^-60, where
    the subnormal numbers that it takes for zero might matter, are computed again.
    Where the target has tiles (AMX), see `xfmr_amx_panel_product`: they are used
    for many rows, unless `batch-invariant`.

    Other contractions (with batch dims, of a vector with a matrix that is no
    weight) read their right side where it is. Its innermost dim selects the form:
    with n innermost, vectors lie along n and k runs in sequence; with k
    innermost, vectors lie along k and the partial sums of the lanes are added by
    one fixed tree.

    Contractions on tensors are left alone: `xfmr-lower-row-groups` rewrites those
    between buffers onto memrefs.

    Changes numerics: yes, within the accumulator type (order of the sum, fma).

    Before:
    ```mlir
    func.func @f(%a: memref<?x64xf32>, %w: memref<64x256xf32> {xfmr.weight},
                 %y: memref<?x256xf32>) {
      linalg.matmul ins(%a, %w : memref<?x64xf32>, memref<64x256xf32>)
                    outs(%y : memref<?x256xf32>)
    ```
    After, among others:
    ```mlir
    %packed = memref.alloc() {alignment = 64 : i64} : memref<8x64x32xf32>
    xfmr.pack_weight ins(%w : memref<64x256xf32>)
        outs(%packed : memref<8x64x32xf32>) layout(in_out)
    scf.forall (%n) = (0) to (256) step (128) {
      ...
      func.call @xfmr_panel_product_f32_f32_f32(%rows, %panels, %columns)
    }
    ```
    and in that function:
    ```mlir
    %sums:16 = scf.for %k = %c0 to %steps step %c2 iter_args(%s0 = %zero, ...)
        -> (vector<16xf32>, ...) {
      memref.prefetch %panels[...]
      %w0 = vector.load %panels[%panel, %k, %c0]
      %w1 = vector.load %panels[%panel, %k, %c16]
      %e0 = memref.load %rows[%row, %k]
      %v0 = vector.broadcast %e0 : f32 to vector<16xf32>
      %f0 = math.fma %v0, %w0, %s0 : vector<16xf32>
      ...
    }
    ```
  }];
  let options = [
    Option<"batchInvariant", "batch-invariant", "bool", "false",
           "Round in one way for every number of rows: no AMX tiles">,
    Option<"cpu", "cpu", "std::string", [{""}],
           "The CPU: host, or a name that LLVM knows; empty: none, one with "
           "fused multiply-adds">,
    Option<"vectorBytes", "vector-bytes", "unsigned", "0",
           "Bytes of a native vector: 16, 32 or 64; 0 chooses by cpu">,
    Option<"tileRows", "tile-rows", "unsigned", "0",
           "Rows of a register tile, a power of two; 0 chooses by vector-bytes">,
    Option<"panels", "panels", "bool", "true",
           "Make products of packed panels of contractions with one matrix">,
    Option<"threads", "threads", "unsigned", "0",
           "Threads that share the columns of a product; 0 if that is not known">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::amx::AMXDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::x86vector::X86VectorDialect",
    "::mlir::xfmr::XfmrDialect"
  ];
}

def LowerWeightPacking : Pass<"xfmr-lower-weight-packing"> {
  let summary = "Packing of weights becomes vector loops";
  let description = [{
    Rewrites `xfmr.pack_weight`. Where the outputs of a weight follow each other
    in memory, or are every second element, runs of them are copied; where its
    inputs do, squares are transposed in registers; any other strides are
    gathered. Strides that are not known are compared at run time. What is beyond
    a weight's last output or input is zero: nothing beyond it is read. Two that
    pack every other element of the same rows, as gates and ups that are
    interleaved, are packed together.

    A weight of rows without gaps whose outputs fill panels may be packed in place,
    which is done where the packed weight is found to have the weight's memory.
    Where outputs are rows, each panel is read from a copy of it, made just before.
    Where inputs are rows, a band of at most 16 groups of inputs is packed by itself
    at a time, into the place of the band before it, and then the pieces of panels
    that the bands hold are moved, along the cycles of the permutation, which
    threads share.

    The loop over panels is a `scf.forall`, which `xfmr-lower-row-loops` gives to
    threads, unless the weight is known to be small. A large packed weight is
    written past the caches; where squares are transposed, also one that is larger
    than an L2 cache and in the memory of a caller, who packs it once. Not in place,
    where the caches have the lines that are written.

    Changes numerics: no.

    Before:
    ```mlir
    xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%p : memref<3x64x32xf32>)
        layout(in_out)
    ```
    After, among others:
    ```mlir
    scf.forall (%b) in (1) {
      ...
      scf.for %k = %c0 to %c64 step %c1 {
        scf.for %n = %first to %end step %c1 {
          %0 = vector.load %w[%k, %column] : memref<64x96xf32>, vector<32xf32>
          ...
        }
      }
    }
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", "64",
           "Bytes of a native vector: 16, 32 or 64">,
    Option<"nonTemporalFrom", "non-temporal-from", "int64_t", "8388608",
           "Bytes of a packed weight from which on it is written past the "
           "caches, and of a weight from which on it is in none">,
    Option<"l2Bytes", "l2-bytes", "int64_t", "1048576",
           "Bytes of one core's L2 cache: a packed weight of a caller's that is "
           "larger is written past the caches where squares are transposed, and "
           "in place a panel of a quarter of that or less is copied in part">,
    Option<"parallelFrom", "parallel-from", "int64_t", "262144",
           "Bytes of a packed weight from which on threads share the work">,
    Option<"threads", "threads", "unsigned", "0",
           "How many threads there are; 0 if that is not known">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def OutlineWeightPacking : Pass<"xfmr-outline-weight-packing",
                                "::mlir::ModuleOp"> {
  let summary = "Weights are packed once, outside of the functions that use them";
  let description = [{
    Where a function packs an argument marked `xfmr.weight` into memory of its own
    (`xfmr.pack_weight` into a `memref.alloc`, both at the level of the function),
    it takes the packed weight as an argument instead, in the weight's place. Two
    functions are made beside it: `@f_pack_weights` takes the weights and their
    packed forms, which it fills, and `@f_packed_sizes` takes the weights, of which
    it reads the sizes, and returns memrefs without memory that have the sizes and
    strides of the packed forms. With `runtime-checks`, memory of a packed weight
    that overlaps a weight or another packed one is an error, apart from a weight
    that is packed in place (`xfmr-lower-weight-packing`). The weight stays an argument as well where
    something else uses it: most often its sizes. The attribute
    `xfmr.packed_weights` of the function says what its arguments were.

    A private function, or one that is called in the module, goes on packing in
    every call; a remark says so.

    Packed constants become constants, in functions of any kind.

    Changes numerics: no.

    Before:
    ```mlir
    func.func @f(%x: memref<?x64xf32>, %w: memref<64x96xf32> {xfmr.weight}) {
      %p = memref.alloc() {alignment = 64 : i64} : memref<3x64x32xf32>
      xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%p : memref<3x64x32xf32>)
          layout(in_out)
      call @product(%x, %p) : (memref<?x64xf32>, memref<3x64x32xf32>) -> ()
      memref.dealloc %p : memref<3x64x32xf32>
      return
    }
    ```
    After, beside the function that gives sizes:
    ```mlir
    func.func @f(%x: memref<?x64xf32>, %p: memref<3x64x32xf32> {xfmr.weight})
        attributes {xfmr.packed_weights = [{argument = 0 : i64},
            {argument = 1 : i64, packed = memref<3x64x32xf32>} ]} {
      call @product(%x, %p) : (memref<?x64xf32>, memref<3x64x32xf32>) -> ()
      return
    }
    func.func @f_pack_weights(%w: memref<64x96xf32> {xfmr.weight},
                              %p: memref<3x64x32xf32>) {
      xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%p : memref<3x64x32xf32>)
          layout(in_out)
      return
    }
    ```
  }];
  let options = [
    Option<"runtimeChecks", "runtime-checks", "bool", "false",
           "Check the sizes of packed weights at run time, where they are not "
           "known">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def SerializeProductRows : Pass<"xfmr-serialize-product-rows"> {
  let summary = "Take tiles of rows with products one after another";
  let description = [{
    Makes an `scf.forall` over rows sequential where it holds a feed-forward network
    or a product of all its rows with one matrix. Threads then share the columns of
    each product: every weight is read once for all of them, and one row is work for
    several.

    Changes numerics: no.

    Before:
    ```mlir
    scf.forall (%i) = (0) to (256) step (128) {
      %xt = memref.subview %x[%i, 0] [128, 64] [1, 1] : ...
      xfmr.ffn ins(%xt : ...) ...
    }
    ```
    After:
    ```mlir
    scf.for %i = %c0 to %c256 step %c128 {
      %xt = memref.subview %x[%i, 0] [128, 64] [1, 1] : ...
      xfmr.ffn ins(%xt : ...) ...
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // XFMR_CODEGEN_CPU_PRODUCTS_TD
