#ifndef XFMR_CODEGEN_MATH_PASSES_TD
#define XFMR_CODEGEN_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"xfmr-expand-math"> {
  let summary = "Expand exp, expm1, tanh, erf and erfc into arithmetic";
  let description = [{
    Replaces `math.exp`, `math.expm1`, `math.tanh`, `math.erf` and `math.erfc` of
    f32, f16 and bf16, scalars and vectors of any shape, by arithmetic without
    branches or tables: `arith` ops, `math.fma` and operations on the bits. f16 and
    bf16 are computed in f32 and rounded once more; so is `math.rsqrt` of f16, which
    stays one. The code suits any target with a fused
    multiply-add; without one `math.fma` becomes a slow call, and the results are
    the same.

    Over all f32 values the error is at most 0.90 ulp for exp, 1.70 for
    expm1, 0.79 for tanh, 1.00 for erf and 1.45 for erfc, results below the normal range included. NaN gives
    NaN; infinities and overflow give what the function's limit says.

    An exp of f32 with the attribute `xfmr.rounded_to`, whose value is rounded to
    f16 or bf16 next, has an error of 2^-21 or 2^-18 of itself; so has exp2 with
    that of bf16, the one that is expanded.

    With `native-scale`, exp of vectors of f32, 16 of them or a multiple, is scaled
    by an instruction of AVX-512, to the same bits; with `xfmr.rounded_to`, its
    argument is split by another one. With `native-max`,
    `arith.maxnumf` and `arith.minnumf` of which one operand is never NaN, such as
    the maximum that a loop carries or leaves, become the comparison and selection that one
    instruction of x86 is.

    f64 is left to the math library, with a remark (`MathLeftToLibm`); expm1 of it
    becomes its exp and log.

    Before:

    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      %0 = math.exp %x : vector<16xf32>
      return %0 : vector<16xf32>
    }
    ```

    After (the middle of the polynomial left out):

    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      ...
      %2 = arith.maximumf %x, %cst : vector<16xf32>
      %3 = arith.minimumf %2, %cst_0 : vector<16xf32>
      %4 = math.fma %3, %log2e, %magic : vector<16xf32>
      %5 = arith.bitcast %4 : vector<16xf32> to vector<16xi32>
      ...
      %20 = arith.mulf %p, %19 : vector<16xf32>
      %21 = arith.mulf %20, %18 : vector<16xf32>
      return %21 : vector<16xf32>
    }
    ```

    Changes numerics: yes, within the bounds above (against another math library).
  }];
  let options = [
    Option<"nativeScale", "native-scale", "bool", "false",
           "Multiply by powers of two by an instruction of AVX-512">,
    Option<"nativeMax", "native-max", "bool", "false",
           "Compare and select for maxima of what is never NaN">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandNarrowFloat : Pass<"xfmr-expand-narrow-float"> {
  let summary = "Convert from and to bf16, and from f64 to f16, by integer arithmetic";
  let description = [{
    Replaces `arith.extf` from bf16, `arith.truncf` to bf16 and `arith.truncf` from
    f64 to f16, scalars and vectors of any shape, by operations on the bits. A
    result is rounded once, to nearest even, subnormal numbers included (the x86
    instruction for bf16 flushes them to zero); NaN stays NaN. From f64 the value
    is rounded to odd in f32 first, so that the second rounding is the only one
    that counts. f16 from and to f32 stays: targets have it. A truncation with
    another rounding mode stays too.

    The halves that `vector.deinterleave` makes of a vector of bf16 are widened
    where they lie, by a shift and by a mask; two halves that are rounded and then
    interleaved are put together by the same means.

    With `native-bf16`, vectors whose length is a multiple of 16 are rounded from
    f32 to bf16 by AVX512-BF16's instructions. These take subnormal numbers for
    zero: where a result is zero because of that, a branch that is marked as
    unlikely puts in what they are rounded to.

    With `shuffle-words`, such vectors of bf16 are widened by one shuffle of their
    words with zeros, and not by one and a shift.

    Before:

    ```mlir
    func.func @f(%x: f32) -> bf16 {
      %0 = arith.truncf %x : f32 to bf16
      return %0 : bf16
    }
    ```

    After:

    ```mlir
    func.func @f(%x: f32) -> bf16 {
      ...
      %0 = arith.bitcast %x : f32 to i32
      %1 = arith.shrui %0, %c16 : i32
      %2 = arith.andi %1, %c1 : i32
      %3 = arith.addi %0, %c32767 : i32
      %4 = arith.addi %3, %2 : i32
      %5 = arith.shrui %4, %c16 : i32
      %6 = arith.ori %1, %c64 : i32
      %7 = arith.cmpf uno, %x, %x : f32
      %8 = arith.select %7, %6, %5 : i32
      %9 = arith.trunci %8 : i32 to i16
      %10 = arith.bitcast %9 : i16 to bf16
      return %10 : bf16
    }
    ```

    Changes numerics: no.
  }];
  let options = [
    Option<"nativeBF16", "native-bf16", "bool", "false",
           "Round to bf16 by instructions of AVX512-BF16">,
    Option<"shuffleWords", "shuffle-words", "bool", "false",
           "Widen vectors of bf16 by a shuffle with zeros">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // XFMR_CODEGEN_MATH_PASSES_TD
