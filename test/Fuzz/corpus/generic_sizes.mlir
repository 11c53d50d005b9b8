// fuzz: canonicalize,cse
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8xbf16>, tensor<8xf32>, tensor<4x8xbf16>) -> tensor<4x8xbf16>, sym_name = "f"}> ({
  ^bb0(%x: tensor<4x8xbf16>, %g: tensor<8xf32>, %y: tensor<4x8xbf16>):
    %0 = "xfmr.rmsnorm"(%x, %g, %y) <{eps = 1.0e-05 : f64, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>, rounding = #xfmr.rounding<cast_then_scale>}> : (tensor<4x8xbf16>, tensor<8xf32>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
    "func.return"(%0) : (tensor<4x8xbf16>) -> ()
  }) : () -> ()
}) : () -> ()
