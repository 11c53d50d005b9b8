// Products of which either side, or the result, lies with its rows across memory.
//
// RUN: xfmr-run %s --entry=left --check --threads=1
// RUN: xfmr-run %s --entry=left --check --threads=1 --cpu=sapphirerapids --emulate
// RUN: xfmr-run %s --entry=result --check --threads=1
// RUN: xfmr-run %s --entry=result --check --threads=1 --pack-weights=false
// RUN: xfmr-run %s --entry=all --shape 0=300x7 --shape 1=129x300 --check --threads=1
// RUN: xfmr-run %s --entry=all --shape 0=300x7 --shape 1=129x300 --check --threads=2
// RUN: xfmr-run %s --entry=batches --check --threads=1
// RUN: xfmr-run %s --entry=weight --shape 0=40x9 --check --threads=1
// RUN: xfmr-run %s --entry=weight --shape 0=40x9 --check --threads=1 --cpu=sapphirerapids --emulate

func.func @left(%x: tensor<513x5xf32>, %w: tensor<513x64xf32>, %y: tensor<5x64xf32>) -> tensor<5x64xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                      affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<513x5xf32>, tensor<513x64xf32>) outs(%y : tensor<5x64xf32>) -> tensor<5x64xf32>
  return %0 : tensor<5x64xf32>
}

func.func @result(%x: tensor<5x33xf32>, %w: tensor<64x33xf32> {xfmr.weight}, %y: tensor<64x5xf32>)
    -> tensor<64x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (n, m)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x33xf32>, tensor<64x33xf32>) outs(%y : tensor<64x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<64x5xf32>
  return %0 : tensor<64x5xf32>
}

func.func @all(%x: tensor<?x?xf64>, %w: tensor<?x?xf64>, %y: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (n, m)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xf64>, tensor<?x?xf64>) outs(%y : tensor<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    linalg.yield %s : f64
  } -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// Several dims of rows, the innermost of them last in memory.
func.func @batches(%x: tensor<3x65x5xf32>, %w: tensor<65x40xf32>, %y: tensor<3x5x40xf32>) -> tensor<3x5x40xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>, affine_map<(b, m, n, k) -> (k, n)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x65x5xf32>, tensor<65x40xf32>) outs(%y : tensor<3x5x40xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x5x40xf32>
  return %0 : tensor<3x5x40xf32>
}

func.func @weight(%x: tensor<40x?xbf16>, %w: tensor<40x70xbf16> {xfmr.weight}, %y: tensor<?x70xf32>) -> tensor<?x70xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<40x?xbf16>, tensor<40x70xbf16>) outs(%y : tensor<?x70xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %d = arith.extf %a : bf16 to f32
    %e = arith.extf %b : bf16 to f32
    %p = arith.mulf %d, %e : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x70xf32>
  return %0 : tensor<?x70xf32>
}
