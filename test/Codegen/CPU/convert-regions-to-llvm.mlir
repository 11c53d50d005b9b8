// RUN: xfmr-opt --xfmr-convert-regions-to-llvm --split-input-file %s | FileCheck %s --implicit-check-not=omp.parallel
// RUN: xfmr-opt --xfmr-convert-regions-to-llvm --split-input-file %s | mlir-translate --mlir-to-llvmir --split-input-file | FileCheck %s --check-prefix=IR

// Of a descriptor, threads get the parts that are read, and nothing that @row has
// no use for; constants are not handed over.

// CHECK-DAG: llvm.mlir.global private constant @[[NAME:.*]](";unknown;unknown;0;0;;\00")
// CHECK-DAG: llvm.mlir.global private constant @[[$PLACE:[a-z_]*]]() {{.*}} : !llvm.struct<(i32, i32, i32, i32, ptr)>
// IR: @{{.*}} = private constant { i32, i32, i32, i32, ptr } { i32 0, i32 2, i32 0, i32 22, ptr @{{.*}} }

llvm.func @row(%n: i64, %p: !llvm.ptr, %unread: i64, %one: i64) attributes {sym_visibility = "private"} {
  %sum = llvm.add %n, %one : i64
  llvm.store %sum, %p : i64, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func internal @descriptor_threads(
// CHECK-SAME: %{{[^ :]*}}: !llvm.ptr, %{{[^ :]*}}: !llvm.ptr, %[[SIZE:[^ :]*]]: i64, %[[DATA:[^ :]*]]: !llvm.ptr)
// CHECK-SAME: passthrough = {{\[\[}}"target-cpu", "znver4"]]
// CHECK-DAG: %[[UNREAD:.*]] = llvm.mlir.poison : i64
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i64) : i64
// CHECK: llvm.call @row(%[[SIZE]], %[[DATA]], %[[UNREAD]], %[[ONE]])
// CHECK-NEXT: llvm.return

// CHECK-LABEL: llvm.func @descriptor(
// CHECK-SAME: %[[P:[^ :]*]]: !llvm.ptr, %[[N:[^ :]*]]: i64
// CHECK-NOT: llvm.extractvalue
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[WHERE:.*]] = llvm.mlir.addressof @[[$PLACE]]
// CHECK-NEXT: %[[OWN:.*]] = llvm.call @__kmpc_global_thread_num(%[[WHERE]])
// CHECK-NEXT: llvm.call @__kmpc_push_num_threads(%[[WHERE]], %[[OWN]], %[[TWO]])
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[CALLED:.*]] = llvm.mlir.addressof @descriptor_threads
// CHECK: llvm.call @__kmpc_fork_call(%[[WHERE]], %[[COUNT]], %[[CALLED]], %[[N]], %[[P]]) vararg

// IR-LABEL: define void @descriptor(
// IR: call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr @{{.*}}, i32 2, ptr @descriptor_threads, i64 %{{.*}}, ptr %{{.*}})
llvm.func @descriptor(%p: !llvm.ptr, %n: i64) attributes {passthrough = [["target-cpu", "znver4"]]} {
  %0 = llvm.mlir.poison : !llvm.struct<(ptr, i64, i64)>
  %1 = llvm.insertvalue %p, %0[0] : !llvm.struct<(ptr, i64, i64)>
  %2 = llvm.insertvalue %n, %1[1] : !llvm.struct<(ptr, i64, i64)>
  %3 = llvm.mul %n, %n : i64
  %4 = llvm.insertvalue %3, %2[2] : !llvm.struct<(ptr, i64, i64)>
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i32) : i32
  omp.parallel num_threads(%two : i32) {
    %size = llvm.extractvalue %4[1] : !llvm.struct<(ptr, i64, i64)>
    %data = llvm.extractvalue %4[0] : !llvm.struct<(ptr, i64, i64)>
    %unread = llvm.extractvalue %4[2] : !llvm.struct<(ptr, i64, i64)>
    llvm.call @row(%size, %data, %unread, %one) : (i64, !llvm.ptr, i64, i64) -> ()
    omp.terminator
  }
  llvm.return
}

// -----

// As many threads as there are; values narrower than a register are widened, a
// descriptor of which only the caller knows the parts is taken apart there, and
// branches stay.

// CHECK-LABEL: llvm.func internal @narrow_threads(
// CHECK-SAME: %{{[^ :]*}}: !llvm.ptr, %{{[^ :]*}}: !llvm.ptr, %[[F:[^ :]*]]: i64, %[[B:[^ :]*]]: i64, %[[P:[^ :]*]]: !llvm.ptr)
// CHECK-DAG: %[[BIT:.*]] = llvm.trunc %[[B]] : i64 to i1
// CHECK-DAG: %[[WORD:.*]] = llvm.trunc %[[F]] : i64 to i32
// CHECK-DAG: %[[FLOAT:.*]] = llvm.bitcast %[[WORD]] : i32 to f32
// CHECK: llvm.cond_br %[[BIT]], ^[[STORE:.*]], ^[[END:.*]]
// CHECK: ^[[STORE]]:
// CHECK: llvm.store %[[FLOAT]], %[[P]]
// CHECK: ^[[END]]:
// CHECK: llvm.return

// CHECK-LABEL: llvm.func @narrow(
// CHECK-SAME: %[[F:[^ :]*]]: f32, %[[B:[^ :]*]]: i1, %[[FROM:[^ :]*]]: !llvm.ptr
// CHECK: %[[LOADED:.*]] = llvm.load %[[FROM]]
// CHECK-NOT: push_num_threads
// CHECK-DAG: %[[P:.*]] = llvm.extractvalue %[[LOADED]][0]
// CHECK-DAG: %[[WORD:.*]] = llvm.bitcast %[[F]] : f32 to i32
// CHECK-DAG: %[[WF:.*]] = llvm.zext %[[WORD]] : i32 to i64
// CHECK-DAG: %[[WB:.*]] = llvm.zext %[[B]] : i1 to i64
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: llvm.call @__kmpc_fork_call(%{{.*}}, %[[COUNT]], %{{.*}}, %[[WF]], %[[WB]], %[[P]]) vararg
llvm.func @narrow(%f: f32, %b: i1, %from: !llvm.ptr) {
  %0 = llvm.load %from : !llvm.ptr -> !llvm.struct<(ptr, i64)>
  omp.parallel {
    llvm.cond_br %b, ^bb1, ^bb2
  ^bb1:
    %p = llvm.extractvalue %0[0] : !llvm.struct<(ptr, i64)>
    llvm.store %f, %p : f32, !llvm.ptr
    llvm.br ^bb2
  ^bb2:
    omp.terminator
  }
  llvm.return
}

// -----

// Two regions of one function are two functions, and have one place.

// CHECK: llvm.mlir.global private constant @openmp_place()
// CHECK: llvm.mlir.global private constant @openmp_place_name(
// CHECK-NOT: llvm.mlir.global
// CHECK: llvm.func internal @[[$FIRST:two_threads.*]](
// CHECK: llvm.func internal @[[$SECOND:two_threads.*]](
// CHECK-LABEL: llvm.func @two(
// CHECK: llvm.mlir.addressof @[[$FIRST]]
// CHECK: llvm.mlir.addressof @[[$SECOND]]
llvm.func @two(%n: i64, %p: !llvm.ptr) {
  omp.parallel {
    llvm.store %n, %p : i64, !llvm.ptr
    omp.terminator
  }
  omp.parallel {
    llvm.store %p, %p : !llvm.ptr, !llvm.ptr
    omp.terminator
  }
  llvm.return
}
