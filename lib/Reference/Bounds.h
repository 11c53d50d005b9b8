//===- Bounds.h - How far a correct implementation may be off -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_BOUNDS_H
#define XFMR_LIB_REFERENCE_BOUNDS_H

#include "Number.h"
#include "xfmr/Dialect/IR/XfmrEnums.h"
#include <cstdint>

// Every bound is half an ulp of the result's type, for its rounding, and the
// error of the accumulator arithmetic before it, which is here. With u the
// unit roundoff of `acc` (2^-24; 2^-53 for f64 data).
//
// Norms: (16 + d/256) u (|gamma| max(1, |xhat|) + |beta|).
//   A sum of d squares in P partial sums, each a chain of d/P additions of
//   numbers of one sign, then log2 P additions that merge them, is off by at
//   most (d/P + log2 P) u of itself, plus u for the square. The root halves
//   relative errors. With P >= 128, as vector code with several accumulators
//   has, half of d/P is d/256. (With fewer partial sums the worst case is
//   larger, but the errors' signs vary, and sqrt(d/P) takes the place of d/P:
//   P = 16 still fits at d = 65536.) In units of u, what else there is: merging
//   3.5, square 0.5, division by d 0.5, adding eps 0.5, root 1, reciprocal 1,
//   x - m 1, - dm 1, times rstd 1, gamma + offset 1, the product with gamma and
//   beta 1: together 12, below 16. GPU reciprocal square roots add 2.
//   For layernorm the error of the mean and of x - m is one of the deviation's
//   scale, whatever xhat is at this element, hence max(1, |xhat|): the mean's
//   own rounding, large as it may be beside the deviation, is repaired by dm.
//   rmsnorm's xhat itself has a relative error only.
//
// Contractions: (4 + sqrt d + sqrt K) u S, S = sum |h_k w_k| + |bias|.
//   A chain of K fused multiply-adds errs by delta_j times its j-th partial
//   sum, |delta_j| <= u, |partial sum| <= S. The delta_j are as good as
//   independent: the sum is within sqrt(K) u S (1.7 standard deviations even if
//   every partial sum were as large as S; those of random data are of size S /
//   sqrt(K) and below). Blocks, several accumulators and trees only shorten the
//   chains. 4 is for products that are rounded by themselves, merging, the
//   bias, the activation. sqrt(d) is the same term for the first contraction of
//   a network, carried through the second as a relative error of every h_k.
//   Where cancellation makes the relative error of few h_k larger than that
//   (d_ff = 1 is the extreme), their absolute errors, independent of each
//   other, count instead: the square root of the sum of their squares, times
//   |w_k|. With d_ff >= d and data without structure the formula's own term is
//   the larger. The bias is a term of the sum like the others.
//
// The error of one accumulator before a rounding to f16 or bf16, which decides
//   whether both neighbours are right, must not be larger than it is: it makes
//   the bound of all that follows. It is u (3 sqrt(sum of the squares of the
//   partial sums) + 4 |z|): the first term is 5 standard deviations of the sum
//   of delta_j times partial sum j for delta_j of standard deviation 0.58 u.
//
// Activations: silu, swish and the gelus 4 ulp of acc, sigmoid and tanh 1, the
//   others are exact or one product. Below 2^-100 in magnitude (f64: 2^-996, as
//   far above its subnormals) the error is absolute, 2^-100. `gated_act`
//   to f16 or bf16 may use what suffices there: 0.51 ulp of the result.
//
// With numerics=relaxed, exponentials in f32 that reach nothing but roundings
//   to f16 or bf16, through products, quotients and sums of positive values:
//   0.51 ulp of the result, whatever else it is of. A softmax is such.
//
// Sums of residuals have one rounding in acc, u |s|, before that to f16 or
// bf16.
//
// Underflow: a product in the subnormal range of acc is off by half its
// smallest
//   number, which the relative terms do not show; each is counted.

namespace mlir::xfmr::reference {

/// The relative error of an exponential whose value is rounded to f16 or bf16
/// next: any that is more than a hundredth of an ulp of these, which is what
/// then counts.
inline constexpr long double kNarrowError = 0x1p-10L;

/// The accumulator of data in the format.
FloatFormat getAccumulatorFormat(const FloatFormat &data);

/// 16 + d/256.
long double normFactor(int64_t d);

/// The error of `gamma * xhat + beta`, beyond that of its rounding.
long double normError(const FloatFormat &acc, int64_t d, long double gamma,
                      long double xhat, long double beta);

/// The error of xhat, before it is rounded to its storage type.
long double normalizedError(const FloatFormat &acc, NormKind kind, int64_t d,
                            long double xhat);

/// What one contraction of a network adds up, besides the result.
struct ContractionSums {
  /// Sum of |h w|, with the bias.
  long double magnitude = 0;
  /// Sum of squares of the partial sums.
  long double walk = 0;
  /// Sums of squares of w times the errors of h: their accumulator errors, and
  /// the soft errors they had from the inputs; of the latter also the plain sum
  /// with the signs of h, which is what a common relative error gives.
  long double ownSquares = 0, softSquares = 0, softCommon = 0;
};

/// The bound of a contraction over `terms`, beyond that of the rounding, when
/// the inputs are themselves contractions over `innerTerms` (0: they are
/// exact).
long double contractionError(const FloatFormat &acc, int64_t innerTerms,
                             int64_t terms, const ContractionSums &sums);

/// The error of one accumulator as large as it really may be.
long double accumulatorError(const FloatFormat &acc, int64_t terms,
                             long double value, const ContractionSums &sums);

/// The error of the activation's result, in the accumulator format.
long double activationError(const FloatFormat &acc, ActivationKind kind,
                            long double result);

/// The largest |x| for which no square of a row may overflow into a NaN:
/// 2^60, for f64 2^500.
long double safeMagnitude(const FloatFormat &acc);

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_BOUNDS_H
