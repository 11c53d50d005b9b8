// RUN: not xfmr-opt --xfmr-lower-to-cpu=cpu=i286 %s 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not xfmr-opt --xfmr-lower-to-cpu=threads=-1 %s 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not xfmr-opt --xfmr-lower-to-cpu=numerics=fast %s 2>&1 | FileCheck %s --check-prefix=NUMERICS
// RUN: not xfmr-opt --xfmr-lower-to-cpu=tile-rows=-2 %s 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not xfmr-opt --xfmr-lower-to-cpu=hidden-block=-1 %s 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not xfmr-opt --xfmr-lower-to-cpu="threads=2 parallel-from=-2" %s 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: xfmr-opt --xfmr-lower-to-cpu="threads=2 parallel-from=12345" %s | FileCheck %s --check-prefixes=LARGE,OPTION
// RUN: xfmr-opt --xfmr-lower-to-cpu="threads=2" %s | FileCheck %s --check-prefixes=LARGE,FACTS
// RUN: xfmr-opt --xfmr-lower-to-cpu="cpu=x86-64-v3 numerics=relaxed" %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-to-cpu=runtime-checks=true %s | FileCheck %s --check-prefix=CHECKED
// RUN: xfmr-opt --xfmr-lower-to-cpu=threads=0 %s | FileCheck %s --check-prefix=ALL

// CPU: error: {{.*}}i286
// THREADS: '-1' value invalid
// NUMERICS: --numerics option: Cannot find option named 'fast'
// ROWS: error: expected tile-rows of 0 or more, got -2
// BLOCK: error: expected a hidden-block of 1 or more, got -1

// FROM: error: expected parallel-from of 0 or more, got -2

// What is worth threads: two tiles of rows, and by the target's facts enough of
// them.
// OPTION: llvm.mlir.constant(148140 : index)
// FACTS-NOT: llvm.mlir.constant(148140 : index)
// LARGE: llvm.icmp "sge" %{{.*}}, %{{.*}} : i64
// LARGE: llvm.call @__kmpc_push_num_threads
// LARGE: llvm.call @__kmpc_fork_call

// CHECK: llvm.func @norm({{.*}}) -> !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// CHECK-SAME: ["target-cpu", "x86-64-v3"]
// CHECK: vector<8xf32>

// The entry returns the number of the check that failed.
// CHECKED: llvm.func @norm({{.*}}) -> !llvm.struct<(struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, i32)>
// CHECKED-SAME: xfmr.status_messages = [

// As many threads as the OpenMP runtime takes.
// ALL-NOT: llvm.call @__kmpc_push_num_threads
// ALL: llvm.call @__kmpc_fork_call

func.func @norm(%x: tensor<?x?xf32>, %g: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<?xf32>) outs(%y : tensor<?x?xf32>)
      eps(1.0e-05) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
