// RUN: xfmr-opt --xfmr-verify-lowered -split-input-file -verify-diagnostics %s

// Whatever is of LLVM's or OpenMP's dialect.
llvm.func @fine() {
  omp.parallel {
    omp.terminator
  }
  llvm.return
}

// -----

func.func @op_left(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'xfmr.rmsnorm' op is left: the CPU pipeline has no lowering for it, or an earlier stage was not run}}
  %0 = xfmr.rmsnorm ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) eps(1.0e-05) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

llvm.func @cast_left(%x: i64) -> i64 {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op is left}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  %1 = builtin.unrealized_conversion_cast %0 : index to i64
  llvm.return %1 : i64
}

// -----

// expected-error @below {{'func.func' op is left}}
func.func private @function_left()
