#ifndef XFMR_CODEGEN_CPU_PASSES_TD
#define XFMR_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"
include "xfmr/Codegen/CPU/Products.td"

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def DeallocateBuffers : Pass<"xfmr-deallocate-buffers", "::mlir::ModuleOp"> {
  let summary = "Free every buffer once, without a copy of returned arguments";
  let description = [{
    Runs MLIR's `buffer-deallocation-pipeline` with two changes for functions with
    destinations. A function that returns one of its arguments keeps doing so: the
    result's descriptor is the argument's, and nobody frees it (MLIR would return
    a copy). A private function loses such a result. And memory that the module
    frees by a `memref.dealloc` of its own is left alone.

    Any other buffer that a function returns is the caller's to free.

    Changes numerics: no.

    Before:
    ```mlir
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) -> memref<?xf32> {
      %t = memref.alloc(%n) : memref<?xf32>
      ...
      return %y : memref<?xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) -> memref<?xf32> {
      %t = memref.alloc(%n) : memref<?xf32>
      ...
      memref.dealloc %t : memref<?xf32>
      return %y : memref<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def DecomposeInTiles : Pass<"xfmr-decompose-in-tiles"> {
  let summary = "Decompose bufferized ops of the dialect into linalg";
  let description = [{
    Replaces the dialect's ops on memrefs by their decomposition. A norm is
    decomposed on tensors, which are read from its buffers by
    `bufferization.to_tensor` and written by
    `bufferization.materialize_in_destination`: what lies between its parts has no
    memory, so that `xfmr-lower-row-groups` can keep it in registers. A
    feed-forward network becomes a loop over blocks of its hidden dim, on memrefs,
    and in it a parallel loop over blocks of columns, in which gate and up are
    accumulated and the activation taken; the hidden block is then accumulated into
    the down product. No temporary is wider than a hidden block or the result. A gate becomes one
    `linalg.generic` on memrefs.

    The ops are bufferized whole, before this pass: only then is it known that a
    destination may be an input (docs/Rationale.md). A norm or gate that is a value
    between buffers is decomposed as one; networks on tensors are left alone, with
    a remark; residual blocks are an error.

    Changes numerics: no. A `hidden-block` that is not a multiple of 256 changes the
    order in which a network's down product is summed.

    Before:
    ```mlir
    xfmr.rmsnorm ins(%x : memref<16x64xf32>) outs(%y : memref<16x64xf32>)
        eps(1.0e-05)
    ```
    After:
    ```mlir
    %0 = bufferization.to_tensor %x restrict : memref<16x64xf32> to tensor<16x64xf32>
    %1 = bufferization.to_tensor %y restrict writable
        : memref<16x64xf32> to tensor<16x64xf32>
    ...
    %9 = linalg.generic ... ins(%0, %8 : tensor<16x64xf32>, tensor<16xf32>)
        outs(%1 : tensor<16x64xf32>) ...
    bufferization.materialize_in_destination %9 in restrict writable %y
        : (tensor<16x64xf32>, memref<16x64xf32>) -> ()
    ```
  }];
  let options = [
    Option<"columnBlock", "column-block", "int64_t", "128",
           "Columns of gate and up that are accumulated before the activation "
           "takes them">,
    Option<"hiddenBlock", "hidden-block", "int64_t", "1024",
           "Hidden values of a network that are computed before they are "
           "multiplied by the down weights; known sizes are cut evenly">,
    Option<"hiddenElements", "hidden-elements", "int64_t", "0",
           "Where fewer rows are known to have fewer hidden values than this in a "
           "block, the block has more columns, up to as many values">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Loops over rows
//===----------------------------------------------------------------------===//

def LowerRowLoops : Pass<"xfmr-lower-row-loops", "::mlir::ModuleOp"> {
  let summary = "Make parallel loops sequential, or regions for threads";
  let description = [{
    Rewrites `scf.forall` on memrefs: for one thread as `scf.for`. For several, the
    body becomes a function that runs a range of iterations, which is called from an
    OpenMP region, each thread with iterations that follow each other; or, where
    there is too little to do, once, without a region. What there is to do is the
    number of operations on single elements in the body, times the trip counts of
    the loops in it, which are computed in front of the loop: static sizes are
    decided on here, others at run time. Of a loop over tiles that is marked
    `xfmr.any_rows`, threads take as many rows each as others, or one more: its last
    tile ends where the next thread begins.

    Threads that share rows (`omp.parallel {shares_rows}`) become those of the loop
    around it: where it has too few iterations for all threads, and rows are long
    enough, each thread runs all iterations with its own part of every row. There is
    one region and one function for both.

    A loop inside of a parallel loop is sequential; where the outer one stays on one
    thread at run time, the inner one may still start threads. A loop that still
    returns tensors is an error.

    Changes numerics: no.

    Before:
    ```mlir
    scf.forall (%i) = (0) to (%n) step (4) {
      ...
    }
    ```
    After, with two threads:
    ```mlir
    scf.if %large {
      omp.parallel num_threads(%c2 : i32) {
        %thread = func.call @omp_get_thread_num() : () -> i32
        ... // from, to
        func.call @f_loop(%from, %to, %x, %y) : ...
        omp.terminator
      }
    } else {
      func.call @f_loop(%c0, %tiles, %x, %y) : ...
    }
    ```
  }];
  let options = [
    Option<"parallelFrom", "parallel-from", "int64_t", "65536",
           "Elements of a norm that are worth starting threads for; other work is "
           "measured by it">,
    Option<"threads", "threads", "unsigned", "1",
           "How many threads there are; 1 makes sequential loops, 0 leaves the "
           "number to OpenMP">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::omp::OpenMPDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"
  ];
}

def HoistBuffers : Pass<"xfmr-hoist-buffers"> {
  let summary = "Allocate the temporaries of loops once";
  let description = [{
    Moves a `memref.alloc` and its `memref.dealloc` out of the `scf.for` that both
    stand in, where the sizes are the same in all iterations or have a constant bound
    (the last tile of rows has fewer): each thread then allocates once. Small
    buffers of a known size become `memref.alloca` at the start of the function;
    the others that live at the same time become one allocation. Those that stay in a
    loop are reported by a remark.

    Changes numerics: no.

    Before:
    ```mlir
    scf.for %i = %from to %to step %c4 {
      %rows = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
      %z = memref.alloc(%rows) : memref<?x64xf32>
      ...
      memref.dealloc %z : memref<?x64xf32>
    }
    ```
    After:
    ```mlir
    %all = memref.alloca() {alignment = 64 : i64} : memref<1024xi8>
    scf.for %i = %from to %to step %c4 {
      %rows = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
      %z = memref.view %all[%c0][%rows] : memref<1024xi8> to memref<?x64xf32>
      ...
    }
    ```
  }];
  let options = [
    Option<"separate", "separate", "bool", "false",
           "Leave each temporary an allocation of its own: a debugging allocator "
           "then sees what is written beyond it">,
    Option<"stackBytes", "stack-bytes", "int64_t", "16384",
           "Bytes of the stack that a function may use for temporaries">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Target and entry points
//===----------------------------------------------------------------------===//

def ConvertBranchesToLLVM : Pass<"xfmr-convert-branches-to-llvm"> {
  let summary = "Branches between blocks, and tiles that they carry, to LLVM";
  let description = [{
    Converts the dialects cf and amx at once. A branch may carry a tile, and only
    the conversion of amx knows what type that has in LLVM; after a conversion of
    one of the two, the other would meet a cast that it cannot resolve. The
    attribute `llvm.loop_annotation` of a loop, which the loop's branch inherits,
    becomes the branch's own `loop_annotation`: no other reaches LLVM IR. What
    `llvm.intr.expect` says of a branch's condition becomes weights of the branch.

    Changes numerics: no.

    Before:
    ```mlir
    cf.br ^bb1(%0 : !amx.tile<16x16xf32>)
    ```
    After:
    ```mlir
    llvm.br ^bb1(%0 : !llvm.x86_amx)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertRegionsToLLVM
    : Pass<"xfmr-convert-regions-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Threads are handed values, not addresses of them";
  let description = [{
    Converts `omp.parallel` that has no clause but a number of threads, and has
    no other op of OpenMP in it, to a function and a call of OpenMP's run time,
    which hands each of the values that the function reads to every thread.
    Translation to LLVM IR would store them, and threads would read what was
    stored: what one core has just written takes long to come to another. Of a
    memref's descriptor, the parts that are read are handed over; what a function
    that is called there has no use for is not.

    A region that reads what no register holds, a vector for example, stays.

    Changes numerics: no.

    Before:
    ```mlir
    omp.parallel num_threads(%two : i32) {
      llvm.call @row(%p, %n) : (!llvm.ptr, i64) -> ()
      omp.terminator
    }
    ```
    After:
    ```mlir
    %place = llvm.mlir.addressof @openmp_place : !llvm.ptr
    %number = llvm.call @__kmpc_global_thread_num(%place) : (!llvm.ptr) -> i32
    llvm.call @__kmpc_push_num_threads(%place, %number, %two)
        : (!llvm.ptr, i32, i32) -> ()
    %count = llvm.mlir.constant(2 : i32) : i32
    %threads = llvm.mlir.addressof @kernel_threads : !llvm.ptr
    llvm.call @__kmpc_fork_call(%place, %count, %threads, %p, %n)
        vararg(!llvm.func<void (ptr, i32, ptr, ...)>)
        : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i64) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def EmulateTargetOps : Pass<"xfmr-emulate-target-ops", "::mlir::ModuleOp"> {
  let summary = "Plain vector code in the place of instructions of one processor";
  let description = [{
    Rewrites the ops of the dialects amx and x86vector that this project's lowerings
    make, so that code lowered for a processor runs on any other: the pipelines'
    option `emulate` compiles with the facts of `cpu` and for the host. A tile
    becomes a buffer of 1 KB on the stack; loops and conditionals that carry tiles
    become plain ones. An op without emulation is an error.

    Results are those that the processors' manuals document, bit by bit. All
    arithmetic is in f32, rounds to nearest even, and takes subnormals as zeros and
    makes zeros of them.
    - `amx.tile_mulf` on bf16 (`tdpbf16ps`): an element of the left row has one chain
      of fused multiply-adds over its even and one over its odd elements, both from
      zero; the sum of the two is added to the accumulator.
    - `x86vector.avx512.dot` (`vdpbf16ps`): the product of the odd elements is added
      to the accumulator, then that of the even elements, each with one rounding.
    - `x86vector.avx512.cvt.packed.f32_to_bf16` (`vcvtneps2bf16`): one rounding.

    Changes numerics: no.

    Before:
    ```mlir
    %1 = x86vector.avx512.dot %0, %a, %b : vector<32xbf16> -> vector<16xf32>
    ```
    After, where subnormals are left out:
    ```mlir
    %bits = vector.bitcast %a : vector<32xbf16> to vector<16xi32>
    %high = arith.andi %bits, %mask : vector<16xi32>
    %odd = arith.bitcast %high : vector<16xi32> to vector<16xf32>
    ...
    %sum = math.fma %odd, %odd_1, %0 : vector<16xf32>
    ...
    %1 = math.fma %even, %even_1, %sum : vector<16xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExportEntries : Pass<"xfmr-export-entries", "::mlir::ModuleOp"> {
  let summary = "Give every public function a C interface";
  let description = [{
    Sets `llvm.emit_c_interface` on the public functions that have a body, and on
    no other: on a declaration it would change the name that is called. Removes
    the arguments' attributes of the dialects xfmr and bufferization, which mean
    nothing once the arguments are pointers.

    Changes numerics: no.

    Before:
    ```mlir
    func.func @f(%x: memref<?xf32> {xfmr.weight}) { return }
    ```
    After:
    ```mlir
    func.func @f(%x: memref<?xf32>) attributes {llvm.emit_c_interface} { return }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyLowered : Pass<"xfmr-verify-lowered"> {
  let summary = "Fail where an op is left that LLVM IR does not have";
  let description = [{
    An error at the first op that is of neither the LLVM nor the OpenMP dialect.
    Conversions leave what they do not know; without this pass the translation to
    LLVM IR would fail later, and elsewhere.

    Changes numerics: no.

    Before:
    ```mlir
    llvm.func @f() {
      llvm.return
    }
    ```
    After, the same:
    ```mlir
    llvm.func @f() {
      llvm.return
    }
    ```
  }];
}

def SetTarget : Pass<"xfmr-set-target", "::mlir::ModuleOp"> {
  let summary = "Say which CPU the module is compiled for";
  let description = [{
    Sets the module's target triple and data layout, and on its functions the
    attributes of LLVM that name the CPU, its features and the width of its
    vectors. An unknown CPU is an error. With `emulate`, the attributes are those of
    the host, whatever the CPU.

    Changes numerics: no.

    Before:
    ```mlir
    module {
      func.func @f() { return }
    }
    ```
    After:
    ```mlir
    module attributes {llvm.data_layout = "e-m:e-...",
                       llvm.target_triple = "x86_64-pc-linux-gnu"} {
      func.func @f() attributes {passthrough = [["target-cpu", "znver5"],
          ["prefer-vector-width", "512"]]} { return }
    }
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", [{"host"}],
           "The CPU: host, or a name that LLVM knows, such as x86-64-v3">,
    Option<"emulate", "emulate", "bool", "false",
           "The code is for the host, where the CPU's own instructions are "
           "emulated">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

//===----------------------------------------------------------------------===//
// Vectorising lowerings
//===----------------------------------------------------------------------===//

def LowerRowGroups : Pass<"xfmr-lower-row-groups"> {
  let summary = "Elementwise ops and reductions over rows become vector loops";
  let description = [{
    In each block, the linalg ops on tensors between `bufferization.to_tensor` and
    `bufferization.materialize_in_destination` that work on the same rows
    (elementwise ops, and reductions over the trailing dims) become one loop over
    the rows. Inside it, every level of reductions is one strip-mined pass and one
    last pass stores the results; elementwise values are computed again in each
    pass, but for a result that the first pass stores and the later ones read.
    Linalg ops on memrefs become row groups of their own, as do copies between
    memrefs that are not contiguous.

    With `short-rows`, rows of static length whose inputs fit half of the vector
    registers have no strip loops: what one pass loads and computes stays in
    registers for the next, and several rows are one step. Their horizontal
    reductions share registers, and what is the same along a row is computed for
    all of them in one vector. The sums have the same order. Longer rows, of
    known length or not, are taken two a step where the last pass widens bf16 that
    is the same in all rows, or reads no less of what is the same than of what is
    not: an inner loop reduces them one after the other, and both are stored
    together. Not where they are stored past the cache or shared by threads.

    Where all elements are bf16, the even and the odd ones of a strip are two
    vectors (`vector.deinterleave`): they are widened without moving a lane, and a
    sum takes the odd element of a pair first. With `bf16-dot`, sums of products
    are dot products of bf16; a total below 2^-60, which might lack what these
    flush to zero, is computed again without.

    From `prefetch-from-bytes` on, the next row is prefetched while one is stored.
    Where what two rows read and write is more than that, it goes into the second
    cache, and only where the whole is `last-level-bytes` or more; from
    `non-temporal-from-bytes` on, results are stored past the cache where they are
    aligned. What later passes read of such a result is computed again, or kept in
    a buffer of one row where that takes longer (a rounded sum). What counts is the size of the buffers before they were
    tiled, compared at run time where it is not static.

    Ops that are in no row group, contractions among them, are rewritten onto
    memrefs; what passes between them and row groups goes through temporaries that
    are freed at the last use in the block. Whatever stays on tensors is named in a
    remark with the reason.

    A row's bits depend on its elements, its length, `vector-bytes` and `bf16-dot`
    alone.
    Results may lie over operands that are read at the same position.

    With `share-rows-from`, the code of rows that may be so long is in an
    `omp.parallel {shares_rows}`, whose condition is that they are. Each of its
    threads goes over all rows, with blocks of 16384 elements that follow each
    other; where there are several, they leave the sums of their blocks in a buffer
    and wait for each other. That takes functions of OpenMP, which are declared in
    the module; the pass does without on anything smaller.

    Changes numerics: yes, within the accumulator type: the order of sums. With
    `short-functions`, which `numerics=relaxed` sets, exponentials that reach
    nothing but roundings to f16 or bf16 are marked (`xfmr.rounded_to`), to be
    computed to the digits that these leave; a remark says so.

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
           "Native vectors a step of a storing pass, a power of two">,
    Option<"vectorRegisters", "vector-registers", "unsigned", "32",
           "Vector registers that there are, a power of two">,
    Option<"bf16Dot", "bf16-dot", "bool", "false",
           "Sums of bf16 products by AVX512-BF16's dot product; changes bits">,
    Option<"prefetchFromBytes", "prefetch-from-bytes", "int64_t", "0",
           "Size from which the next row is prefetched; 0 for never">,
    Option<"lastLevelBytes", "last-level-bytes", "int64_t", "0",
           "Size from which the next one of long rows is prefetched">,
    Option<"nonTemporalFromBytes", "non-temporal-from-bytes", "int64_t", "0",
           "Size from which results are stored past the cache; 0 for never">,
    Option<"shareRowsFrom", "share-rows-from", "int64_t", "0",
           "Elements from which threads may share a row, in blocks of 16384; 0 "
           "for never">,
    Option<"shortRows", "short-rows", "unsigned", "0",
           "Rows a step, at most, where the inputs of one fit half of the vector "
           "registers and stay there; 0 for loops over every row">,
    Option<"shortFunctions", "short-functions", "bool", "false",
           "Exponentials that reach nothing but roundings to f16 or bf16 have the "
           "digits that these leave; changes bits">,
    Option<"x86", "x86", "bool", "false",
           "The target is an x86 CPU: fences behind non-temporal stores, additions by its multipliers too">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::omp::OpenMPDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
    "::mlir::x86vector::X86VectorDialect"
  ];
}

def NarrowMasksToInteger : Pass<"xfmr-narrow-masks-to-integer"> {
  let summary = "Masked accesses of f16 and bf16 vectors become those of integers";
  let description = [{
    Rewrites the LLVM dialect's masked loads and stores, gathers and scatters of
    f16 and bf16 vectors to vectors of i16, with bitcasts. A target without
    such an instruction takes them apart into branches, and its code generator
    carries a half or bfloat value over a branch as a float: it calls conversion
    functions that round or are missing at run time. Integers it just carries.

    A non-temporal store of such a vector becomes stores of words, 16 at a time:
    LLVM's x86 code generator has no other for them.

    A masked store whose constant mask has one lane becomes a store of that
    element: LLVM 22's x86 code generator writes the element as wide as it was
    before a truncation.

    Before:

    ```mlir
    %0 = llvm.intr.masked.load %p, %m, %z {alignment = 2 : i32}
        : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
    ```

    After:

    ```mlir
    %0 = llvm.bitcast %z : vector<8xbf16> to vector<8xi16>
    %1 = llvm.intr.masked.load %p, %m, %0 {alignment = 2 : i32}
        : (!llvm.ptr, vector<8xi1>, vector<8xi16>) -> vector<8xi16>
    %2 = llvm.bitcast %1 : vector<8xi16> to vector<8xbf16>
    ```

    Changes numerics: no.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SplitVectorAccesses : Pass<"xfmr-split-vector-accesses"> {
  let summary = "Wide loads and stores become those of cache lines, in order";
  let description = [{
    Splits the LLVM dialect's loads and stores of vectors that are wider than 64
    bytes into such of 64 bytes. LLVM would split them, too, but into parts of no
    particular order; from memory, rows that are not read in ascending order take
    up to a quarter longer.

    Before:

    ```mlir
    %0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<32xf32>
    ```

    After:

    ```mlir
    %0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %1 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    %2 = llvm.load %1 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %3 = llvm.shufflevector %0, %2 [0, 1, ..., 31] : vector<16xf32>
    ```

    Changes numerics: no.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // XFMR_CODEGEN_CPU_PASSES_TD
