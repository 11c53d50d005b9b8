#!/usr/bin/env python3
"""Fits the coefficients in lib/Codegen/Math/{HalfActivations,Activations}.cpp and of the
rounded exponentials in ExpKernel.cpp.

Prints them as they stand there, each with the error of its fit. They are rounded one
after the other, with the rest fitted again each time. Needs numpy, scipy and mpmath.
"""

import mpmath as mp
import numpy as np
from scipy.optimize import linprog
from scipy.special import log_ndtr

mp.mp.dps = 30
LOG_2 = float(mp.log(2))
# From here on gelu is below 2^-100.
LEAST_GELU = 11.9


def f32(value):
    return float(np.float32(float(value)))


def points(low, high, count=400):
    """Denser at the ends."""
    return (low + high) / 2 - (high - low) / 2 * np.cos(np.pi * np.arange(count + 1) / count)


def minimax(target, columns, weight, scale):
    """The coefficients of the columns whose sum is nearest to the target. `scale` is
    about the inverse of the error: the solver's tolerances are absolute."""
    matrix = np.stack(columns, 1) * weight[:, None]
    sizes = np.abs(matrix).max(0)
    matrix, right = matrix / sizes * scale, target * weight * scale
    ones = -np.ones((len(target), 1))
    found = linprog(np.r_[np.zeros(len(columns)), 1], method="highs",
                    A_ub=np.vstack([np.hstack([matrix, ones]), np.hstack([-matrix, ones])]),
                    b_ub=np.r_[right, -right], bounds=[(None, None)] * (len(columns) + 1))
    return found.x[:-1] / sizes


def fit_rounded(target, basis, weight, scale, fixed=(), rounding=None):
    """Coefficients by name, and the error's logarithm."""
    fixed = dict(fixed)
    for name in [name for name in basis if name not in fixed]:
        free = [other for other in basis if other not in fixed]
        rest = target - sum(value * basis[other] for other, value in fixed.items())
        value = minimax(rest, [basis[other] for other in free], weight, scale)[0]
        fixed[name] = (rounding or {}).get(name, f32)(value)
    error = target - sum(value * basis[other] for other, value in fixed.items())
    return fixed, np.log2(np.abs(error * weight).max())


def powers(x, degree):
    return {power: x ** power for power in range(degree + 1)}


def rational(f, relative, n, m, low, high, skew, grid=1500):
    """The minimax quotient of degrees n and m, by Remez' algorithm."""
    count = n + m + 2
    t = (1 - np.cos(np.pi * np.arange(grid + 1) / grid)) / 2
    xs = [mp.mpf(float(x)) for x in low + (high - low) * t ** skew]
    values = [f(x) for x in xs]
    weights = [1 / value if relative else mp.mpf(1) for value in values]
    chosen = [round(grid * i / (count - 1)) for i in range(count)]
    q = [mp.mpf(1)] + [mp.mpf(0)] * m
    best = None
    for _ in range(30):
        for _ in range(12):
            matrix, right = mp.matrix(count, count), mp.matrix(count, 1)
            for row, i in enumerate(chosen):
                x, value, weight = xs[i], values[i], weights[i]
                for power in range(n + 1):
                    matrix[row, power] = x ** power * weight
                for power in range(1, m + 1):
                    matrix[row, n + power] = -value * x ** power * weight
                matrix[row, count - 1] = (-1) ** row * mp.polyval(q[::-1], x)
                right[row] = value * weight
            solved = mp.lu_solve(matrix, right)
            before, q = q, [mp.mpf(1)] + [solved[n + power] for power in range(1, m + 1)]
            if max(abs(a - b) / (abs(b) + mp.mpf(10) ** -20) for a, b in zip(before, q)) < 1e-12:
                break
        p = [solved[power] for power in range(n + 1)]
        errors = np.array([float((mp.polyval(p[::-1], x) / mp.polyval(q[::-1], x) - value) * weight)
                           for x, value, weight in zip(xs, values, weights)])
        worst = np.abs(errors).max()
        if best is None or worst < best[0]:
            best = worst, p, q
        if worst < abs(float(solved[count - 1])) * 1.01:
            break
        # The largest error of each run of one sign.
        extrema = []
        for i, error in enumerate(errors):
            if not extrema or (errors[extrema[-1]] > 0) != (error > 0):
                extrema.append(i)
            elif abs(error) > abs(errors[extrema[-1]]):
                extrema[-1] = i
        while len(extrema) > count:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) < count:
            break
        chosen = extrema
    _, p, q = best
    return [float(c / q[-1]) for c in p], [float(c / q[-1]) for c in q]


def show(what, error, coefficients):
    print("%s: error 2^%.2f" % (what, error))
    for name, value in coefficients:
        print("  %-4s %s" % (name, float(value).hex()))


def fit_half_power():
    shift = -6 - 53 / 256
    m = points(1, 2)
    target = 2 ** (m - 1 - shift)
    fixed, error = fit_rounded(target, powers(m, 4), 1 / target, 1e5, {4: 1.0})
    show("bf16: 2^(m - 1 - kShift), kShift = %g" % shift, error, sorted(fixed.items())[::-1])
    return shift


def fit_half_gelu_erf(shift):
    _, q = rational(lambda a: mp.log(mp.erfc(a / mp.sqrt(2)) / 2, 2), False, 5, 2, 0, LEAST_GELU, 1.0)
    d0, d1 = f32(q[0]), f32(q[1])
    a = points(0, LEAST_GELU)
    denominator = (a + d1) * a + d0
    basis = {"c0": a ** 0, "r": 1 / denominator, "q": a / denominator, "c1": a, "c2": a ** 2, "c3": a ** 3}
    # Added to what is kept to 2^-16, so that it has no digits beyond.
    offset = 255 + shift
    rounding = {"c0": lambda value: round((value + offset) * 2 ** 16) / 2 ** 16 - offset}
    fixed, error = fit_rounded(log_ndtr(-a) / LOG_2, basis, np.ones_like(a), 1e4, rounding=rounding)
    show("bf16: log2 Q(a)", error, [*fixed.items(), ("d1", d1), ("d0", d0)])


def fit_rounded_exp():
    for element, degree in (("bf16", 4), ("f16", 5)):
        for what, base, low, high in (("2^r", 2, 0, 1), ("exp(r)", float(mp.e), -LOG_2 / 2 * 1.001, LOG_2 / 2 * 1.001)):
            r = points(low, high)
            target = base ** r
            fixed, error = fit_rounded(target, powers(r, degree), 1 / target, 1e6)
            show("rounded to %s: %s" % (element, what), error, sorted(fixed.items())[::-1])


def fit_exp(what, rate, half_width):
    r = points(-half_width * 1.001, half_width * 1.001)
    target = np.exp(rate * r)
    fixed, error = fit_rounded(target, powers(r, 6), 1 / target, 1e8)
    show("f32: %s" % what, error, sorted(fixed.items())[::-1])


def fit_gelu_erf():
    # 2 ln(2) is taken for a float; n times the rest is nearly this multiple of a^2.
    rest = mp.mpf(f32(2 * LOG_2)) - 2 * mp.log(2)

    def scaled(a):
        return mp.erfc(a / mp.sqrt(2)) / 2 * mp.exp(a * a / 2 - a * a * rest / (4 * mp.log(2)))

    _, q = rational(scaled, True, 4, 5, 0, 11.95, 1.3)
    roots = np.roots(q[::-1])
    k = f32(-next(root.real for root in roots if abs(root.imag) < 1e-9))
    d = [f32(c) for c in np.polydiv(q[::-1], [1, k])[0]]
    t = (1 - np.cos(np.pi * np.arange(401) / 400)) / 2
    a = 11.95 * t ** 1.3
    target = np.array([float(scaled(mp.mpf(float(x)))) for x in a]) * (a + k)
    basis = {"c": a ** 0, **{"n%d" % power: a ** power / np.polyval(d, a) for power in range(4)}}
    fixed, error = fit_rounded(target, basis, 1 / target, 1e8)
    show("f32: Q(a) exp(a^2/2)", error, [("k", k), *fixed.items(), *(("d%d" % (4 - i), c) for i, c in enumerate(d))])


def main():
    fit_half_gelu_erf(fit_half_power())
    fit_rounded_exp()
    slope = 2 * float(mp.sqrt(2 / mp.pi)) * 0.044715
    fit_exp("exp(-b r)", -slope, LOG_2 / slope / 2)
    fit_exp("exp(-r/2)", -0.5, LOG_2)
    fit_gelu_erf()


if __name__ == "__main__":
    main()
