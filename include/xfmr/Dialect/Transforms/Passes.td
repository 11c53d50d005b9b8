#ifndef XFMR_DIALECT_TRANSFORMS_PASSES_TD
#define XFMR_DIALECT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandAggregates : Pass<"xfmr-expand-aggregates"> {
  let summary = "Decompose other dialects' aggregated ops, such as linalg.softmax";
  let description = [{
    Replaces ops on tensors that implement `linalg::AggregatedOpInterface` and are
    not of this dialect by their decomposition, so that they can be fused with
    what is around them. What cannot be decomposed is named in a remark.

    Changes numerics: yes. A softmax multiplies by the inverse of its sum, which is
    rounded once a row. That is at most one more ulp of the result. A division
    that stands in the input stays one.

    Before:
    ```mlir
    %0 = linalg.softmax dimension(1) ins(%x : tensor<?x64xf32>)
        outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
    ```
    After, with the bodies left out (maximum, exponentials of the differences,
    their sum, products with its inverse):
    ```mlir
    %max = linalg.generic ... ins(%x : tensor<?x64xf32>) outs(%e0 : tensor<?xf32>)
    %exp = linalg.generic ... ins(%x, %max : tensor<?x64xf32>, tensor<?xf32>) ...
    %sum = linalg.generic ... ins(%exp : tensor<?x64xf32>) outs(%e1 : tensor<?xf32>)
    %0 = linalg.generic ... ins(%exp, %sum : tensor<?x64xf32>, tensor<?xf32>) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ExpandResidualBlocks : Pass<"xfmr-expand-residual-blocks"> {
  let summary = "Replace residual blocks by their norms, region and add";
  let description = [{
    Replaces `xfmr.residual_block` by what it stands for, as the table in its
    description says: norm ops, the ops of its region, and the residual add as a
    `linalg.generic` (for `post`, an `xfmr.add_rmsnorm` or `xfmr.add_layernorm`).
    On memrefs the normalised rows lie in buffers that are allocated and freed.

    Changes numerics: no.

    Before:
    ```mlir
    %0 = xfmr.residual_block pre ins(%x : tensor<?x64xf32>)
        norm1(<rmsnorm, eps = 1.0e-05> gamma(%g : tensor<64xf32>))
        outs(%y : tensor<?x64xf32>) {
    ^bb0(%z: tensor<?x64xf32>):
      %f = func.call @f(%z) : (tensor<?x64xf32>) -> tensor<?x64xf32>
      xfmr.yield %f : tensor<?x64xf32>
    } -> tensor<?x64xf32>
    ```
    After:
    ```mlir
    %e = tensor.empty(%n) : tensor<?x64xf32>
    %z = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) gamma(%g : tensor<64xf32>)
        outs(%e : tensor<?x64xf32>) eps(1.0e-05) -> tensor<?x64xf32>
    %f = func.call @f(%z) : (tensor<?x64xf32>) -> tensor<?x64xf32>
    %0 = linalg.generic ... ins(%x, %f : ...) outs(%y : tensor<?x64xf32>) {
    ^bb0(%skip: f32, %branch: f32, %out: f32):
      %sum = arith.addf %skip, %branch : f32
      linalg.yield %sum : f32
    } -> tensor<?x64xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def InsertRuntimeChecks
    : Pass<"xfmr-insert-runtime-checks", "::mlir::func::FuncOp"> {
  let summary = "Insert the runtime checks of the dialect's ops";
  let description = [{
    Inserts what a verifier cannot see: that dynamic sizes agree with each
    other and with static ones. A check becomes a `cf.assert` at the start of
    the function when the sizes follow from the arguments, and stays before its
    op when they do not or when the op may not run. The messages, which begin
    with the op's location, are also listed in the function's attribute
    `xfmr.status_messages`, so that their numbers are the same whatever the code
    is compiled for. To be run on tensors or memrefs, before the ops are lowered.

    Changes numerics: no.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x?xf32>, %g: tensor<64xf32>, %y: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %0 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<64xf32>)
          outs(%y : tensor<?x?xf32>) eps(1.0e-05) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }
    ```
    After, with one of the checks shown:
    ```mlir
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %d = tensor.dim %x, %c1 : tensor<?x?xf32>
      %ok = arith.cmpi eq, %d, %c64 : index
      cf.assert %ok, "f.mlir:3:8: 'xfmr.rmsnorm' op expected ..."
      %0 = xfmr.rmsnorm ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

def MemrefsToTensors : Pass<"xfmr-memrefs-to-tensors"> {
  let summary = "Lift row ops on memrefs to tensors, so that they can be fused";
  let description = [{
    Rewrites the dialect's ops on memrefs, and linalg ops that go over the same rows
    in all operands, as ops on tensors that are read by `bufferization.to_tensor` and
    written by `bufferization.materialize_in_destination`. A buffer that is allocated
    in the same block and used by such ops alone becomes their results, so that
    `xfmr-tile-rows` can fuse them; bufferization leads back to the same buffers.
    Reductions are lifted where their results are in such a buffer, products never.
    Residual blocks are to be expanded first.

    With `temporaries-only`, ops are lifted where one of their operands is such a
    buffer. After bufferization that makes the buffers between the ops of a tile
    values again, which `xfmr-lower-row-groups` keeps in registers.

    Changes numerics: no.

    Before:
    ```mlir
    %t = memref.alloc(%n) : memref<?x64xf32>
    xfmr.rmsnorm ins(%x : memref<?x64xf32>) outs(%t : memref<?x64xf32>) eps(1.0e-05)
    linalg.add ins(%x, %t : memref<?x64xf32>, memref<?x64xf32>)
        outs(%y : memref<?x64xf32>)
    memref.dealloc %t : memref<?x64xf32>
    ```
    After:
    ```mlir
    %0 = bufferization.to_tensor %x restrict : memref<?x64xf32> to tensor<?x64xf32>
    %1 = tensor.empty(%n) : tensor<?x64xf32>
    %2 = xfmr.rmsnorm ins(%0 : tensor<?x64xf32>) outs(%1 : tensor<?x64xf32>)
        eps(1.0e-05) -> tensor<?x64xf32>
    %3 = bufferization.to_tensor %y restrict writable
        : memref<?x64xf32> to tensor<?x64xf32>
    %4 = linalg.add ins(%0, %2 : tensor<?x64xf32>, tensor<?x64xf32>)
        outs(%3 : tensor<?x64xf32>) -> tensor<?x64xf32>
    bufferization.materialize_in_destination %4 in restrict writable %y
        : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
    ```
  }];
  let options = [
    Option<"temporariesOnly", "temporaries-only", "bool", "false",
           "Lift ops that read or write a buffer of the same block that can "
           "become a value, and no others">
  ];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RuntimeChecksToStatus
    : Pass<"xfmr-runtime-checks-to-status", "::mlir::ModuleOp"> {
  let summary = "Turn failed checks into a status that functions return";
  let description = [{
    Gives every public function, and every private one that holds or calls a
    check, a last result of type i32: 0, or the number of the check that failed,
    which is one more than the place of its message in the function's attribute
    `xfmr.status_messages`. A `cf.assert` of the function's own blocks becomes an
    early return, whose other results are poison; one inside a region, such as a
    loop, keeps aborting, with a remark. Runs once, on bufferized functions, after
    buffers are deallocated and before `convert-cf-to-llvm`; `convert-scf-to-cf`
    before it leaves fewer regions.

    Changes numerics: no.

    Before:
    ```mlir
    func.func @f(%x: memref<?xf32>) {
      cf.assert %ok, "expected ..."
      return
    }
    ```
    After:
    ```mlir
    func.func @f(%x: memref<?xf32>) -> i32
        attributes {xfmr.status_messages = ["expected ..."]} {
      %c1 = arith.constant 1 : i32
      cf.cond_br %ok, ^bb1, ^bb2(%c1 : i32)
    ^bb1:
      %c0 = arith.constant 0 : i32
      return %c0 : i32
    ^bb2(%status: i32):
      return %status : i32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::ub::UBDialect"
  ];
}

def TileRows : Pass<"xfmr-tile-rows"> {
  let summary = "Put all ops over the same rows into one loop over tiles of rows";
  let description = [{
    Finds groups of ops that work row by row, the dialect's row ops and linalg ops
    whoever wrote them, and replaces each group by one `scf.forall` over tiles of
    rows, in which the ops are still whole. An op appears once in the loop even
    when its results are used in the group and outside. An op that needs all rows
    of another's result is in another group; a remark names both. What is used in
    the group alone becomes a tensor of one tile. Ops on memrefs get a loop each.

    For several threads, a loop whose tiles need not all have as many rows is marked
    `xfmr.any_rows`: threads may meet between any two rows. Where known rows fill few
    tiles, which the threads could not share evenly, tiles are given such a form.

    Groups of which a result has one row, or whose rows fit one tile, keep their
    form. Ops in `scf.forall` and in `xfmr.residual_block` are left alone.

    Changes numerics: no.

    Before:
    ```mlir
    %e = tensor.empty() : tensor<128x64xf32>
    %n = xfmr.rmsnorm ins(%x : tensor<128x64xf32>) outs(%e : tensor<128x64xf32>)
        eps(1.0e-05) -> tensor<128x64xf32>
    %0 = linalg.add ins(%x, %n : tensor<128x64xf32>, tensor<128x64xf32>)
        outs(%y : tensor<128x64xf32>) -> tensor<128x64xf32>
    ```
    After:
    ```mlir
    %0 = scf.forall (%i) = (0) to (128) step (4)
        shared_outs(%o = %y) -> (tensor<128x64xf32>) {
      %xt = tensor.extract_slice %x[%i, 0] [4, 64] [1, 1]
          : tensor<128x64xf32> to tensor<4x64xf32>
      %e = tensor.empty() : tensor<4x64xf32>
      %n = xfmr.rmsnorm ins(%xt : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>)
          eps(1.0e-05) -> tensor<4x64xf32>
      %yt = tensor.extract_slice %o[%i, 0] [4, 64] [1, 1]
          : tensor<128x64xf32> to tensor<4x64xf32>
      %s = linalg.add ins(%xt, %n : tensor<4x64xf32>, tensor<4x64xf32>)
          outs(%yt : tensor<4x64xf32>) -> tensor<4x64xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %s into %o[%i, 0] [4, 64] [1, 1]
            : tensor<4x64xf32> into tensor<128x64xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"mostProductRows", "most-product-rows", "int64_t", "128",
           "Rows of such a tile where they are known to fit `product-bytes`">,
    Option<"productBytes", "product-bytes", "int64_t", "0",
           "Bytes of a product's rows beyond which a tile has `product-rows`">,
    Option<"productRows", "product-rows", "int64_t", "128",
           "Rows of a tile of a group with a product, whose weights every tile "
           "reads, unless `tile-rows` is given">,
    Option<"threads", "threads", "int64_t", "1",
           "How many threads share the rows; 0 leaves the number to OpenMP">,
    Option<"tileRows", "tile-rows", "int64_t", "0",
           "Rows of a tile; 0: `product-rows` for groups with a product, 4 for "
           "others">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ToLinalg : Pass<"xfmr-to-linalg"> {
  let summary = "Decompose all ops of the dialect into linalg";
  let description = [{
    Replaces every op of the dialect by its one decomposition, the one that all
    back ends use: `linalg` ops with `arith` and `math` in their bodies. Residual
    blocks are expanded first. The result holds no op of this project, so that
    any other compiler of linalg can take over.

    Changes numerics: no.

    Before:
    ```mlir
    %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) outs(%y : tensor<?x64xf32>)
        eps(1.0e-05) -> tensor<?x64xf32>
    ```
    After, with the ops' bodies left out:
    ```mlir
    %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
    %squares = linalg.generic {iterator_types = ["parallel", "reduction"], ...}
        ins(%x : tensor<?x64xf32>) outs(%zeros : tensor<?xf32>) ...
    %rstd = linalg.generic {iterator_types = ["parallel"], ...}
        ins(%squares : tensor<?xf32>) outs(%e1 : tensor<?xf32>) ...
    %0 = linalg.generic {iterator_types = ["parallel", "parallel"], ...}
        ins(%x, %rstd : tensor<?x64xf32>, tensor<?xf32>)
        outs(%y : tensor<?x64xf32>) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // XFMR_DIALECT_TRANSFORMS_PASSES_TD
