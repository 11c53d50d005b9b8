"""SVG plots of benchmark records; a record is described in report.py."""

import math
import statistics

from description import moved_bytes
from report import BOUNDS, group, is_peer

# Distinguishable by those who do not see all colours (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b0a000", "#000000")
DASHES = ("", "6 4", "2 3")
WIDTH, HEIGHT, LEFT, TOP = 430, 300, 60, 40


class Canvas:
    """Panels side by side, with a legend below."""

    def __init__(self, panels, legend_lines):
        self.size = (LEFT + panels * (WIDTH + LEFT + 20), TOP + HEIGHT + 45 + 20 * legend_lines)
        self.out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
                    'font-family="sans-serif" font-size="12">' % (self.size * 2),
                    '<rect width="100%" height="100%" fill="white"/>']

    def text(self, x, y, what, anchor="start"):
        self.out.append('<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>' % (x, y, anchor, what))

    def line(self, points, colour, dash="", width=2, title=""):
        self.out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"%s>%s</polyline>' % (
            " ".join("%.1f,%.1f" % point for point in points), colour, width,
            ' stroke-dasharray="%s"' % dash if dash else "", "<title>%s</title>" % title if title else ""))

    def grid(self, x, y, horizontal):
        self.out.append('<path d="M%.1f %.1f%s" stroke="#dddddd"/>' % (
            (x, y, "h%d" % WIDTH) if horizontal else (x, y, "v%d" % HEIGHT)))

    def mark(self, x, y, colour, shape, title):
        paths = {0: "M%.1f %.1fm-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0", 1: "M%.1f %.1fm-5 -5h10v10h-10z",
                 2: "M%.1f %.1fm0 -6l6 11h-12z"}
        self.out.append('<path d="%s" fill="%s"><title>%s</title></path>' % (paths[shape % 3] % (x, y), colour, title))

    def finish(self):
        return "\n".join(self.out + ["</svg>"]) + "\n"


def nice_step(top):
    """A step of 1, 2 or 5 times a power of ten, that divides `top` into 4 to 10."""
    power = 10 ** math.floor(math.log10(top / 4))
    return next(power * k for k in (5, 2, 1) if top / (power * k) >= 4)


def plot_speed(records, threads):
    """GB/s against d, a line a contender, a panel an op and type. The numbers are
    those of the median ratio to the limit, so noise between rounds cancels."""
    cases, names = group(records, "sweep", threads)
    panels = {}
    for found in cases.values():
        limit = found.get("limit", {}).get("best")
        for name, record in found.items():
            if limit and "ratio" in record:
                speed = moved_bytes(record) / (limit * record["ratio"]) / 1e9
                panels.setdefault((record["op"], record["dtype"]), {}).setdefault(name, []).append((record["d"], speed))
    panels = {key: lines for key, lines in panels.items() if max(map(len, lines.values())) > 1}
    if not panels:
        return ""
    style = {name: (COLOURS[i % len(COLOURS)], DASHES[1] if name in BOUNDS else DASHES[2 * (i >= len(COLOURS))])
             for i, name in enumerate(names)}
    columns = max(1, (len(panels) * (WIDTH + LEFT + 20)) // 130)
    canvas = Canvas(len(panels), math.ceil(len(names) / columns))
    for index, ((op, dtype), lines) in enumerate(panels.items()):
        x0 = index * (WIDTH + LEFT + 20) + LEFT
        ds = sorted({d for line in lines.values() for d, _ in line})
        low, high = math.log2(ds[0]), max(math.log2(ds[-1]), math.log2(ds[0]) + 1)
        most = max(speed for line in lines.values() for _, speed in line)
        step = nice_step(most)
        peak = math.ceil(most / step) * step
        x = lambda d: x0 + (math.log2(d) - low) / (high - low) * WIDTH
        y = lambda speed: TOP + HEIGHT - speed / peak * HEIGHT
        canvas.text(x0 + WIDTH / 2, TOP - 16, "%s %s, GB/s against d, %d thread%s"
                    % (op, dtype, threads, "s" * (threads > 1)), "middle")
        for k in range(round(peak / step) + 1):
            canvas.grid(x0, y(k * step), True)
            canvas.text(x0 - 6, y(k * step) + 4, "%g" % (k * step), "end")
        for d in ds:
            if d == 2 ** round(math.log2(d)):
                canvas.text(x(d), TOP + HEIGHT + 18, d if d < 1024 else "%dk" % (d // 1024), "middle")
        for name, line in lines.items():
            canvas.line([(x(d), y(speed)) for d, speed in sorted(line)], *style[name], title=name)
    for index, name in enumerate(names):
        px, py = LEFT + index % columns * 130, TOP + HEIGHT + 40 + 20 * (index // columns)
        canvas.line([(px, py), (px + 24, py)], *style[name])
        canvas.text(px + 30, py + 4, name)
    return canvas.finish()


def plot_roofline(records, threads):
    """GFLOP/s against the operations that each byte of the weights takes part in: a
    panel a type, a mark a case of ours, and the best peer's where there is one. The
    roofs are the medians of what the limit measured."""
    cases, _ = group(records, "ffn", threads)
    panels = {}
    for found in cases.values():
        limit = found.get("limit", {})
        if "best" in limit and "ratio" in found.get("xfmr", {}) and limit.get("read_bw"):
            panels.setdefault(limit["dtype"], []).append(found)
    if not panels:
        return ""
    canvas = Canvas(len(panels), 1)
    shapes = sorted({(found["limit"]["d"], found["limit"]["ff"]) for every in panels.values() for found in every})
    for index, (dtype, every) in enumerate(panels.items()):
        x0 = index * (WIDTH + LEFT + 20) + LEFT
        size = {"f32": 4, "bf16": 2}[dtype]
        intensity = lambda record: 2.0 * record["M"] / size
        peak = max(statistics.median(limit[key]) for found in every for limit in [found["limit"]]
                   for key in ("f32_flops", "avx512bf16_flops", "amx_flops") if limit.get(key))
        band = statistics.median(statistics.median(found["limit"]["read_bw"]) for found in every)
        xs = [intensity(found["limit"]) for found in every]
        low, high = math.log10(min(xs)) - 0.3, math.log10(max(xs)) + 0.3
        bottom, top = math.floor(math.log10(min(band * min(xs), peak) / 4)), math.ceil(math.log10(peak))
        x = lambda v: x0 + (math.log10(v) - low) / (high - low) * WIDTH
        y = lambda v: TOP + HEIGHT - (math.log10(v) - bottom) / (top - bottom) * HEIGHT
        canvas.text(x0 + WIDTH / 2, TOP - 16, "%s, GFLOP/s against operations a byte of weights, %d thread%s"
                    % (dtype, threads, "s" * (threads > 1)), "middle")
        for power in range(bottom, top + 1):
            canvas.grid(x0, y(10.0 ** power), True)
            canvas.text(x0 - 6, y(10.0 ** power) + 4, "%g" % 10.0 ** (power - 9), "end")
        for power in range(math.ceil(low), math.floor(high) + 1):
            canvas.grid(x(10.0 ** power), TOP, False)
            canvas.text(x(10.0 ** power), TOP + HEIGHT + 18, "%g" % 10.0 ** power, "middle")
        edge = min(max(peak / band, 10 ** low), 10 ** high)
        roof = [10 ** low, edge, 10 ** high]
        canvas.line([(x(v), y(min(peak, band * v))) for v in roof], "#000000", DASHES[1])
        for found in every:
            limit = found["limit"]
            shape = shapes.index((limit["d"], limit["ff"]))
            peers = {name: record for name, record in found.items() if is_peer(name) and "ratio" in record}
            best = min(peers, key=lambda name: peers[name]["ratio"]) if peers else None
            for name, colour in ((best, "#999999"), ("xfmr", COLOURS[shape % len(COLOURS)])):
                if name:
                    reached = min(peak, band * intensity(limit)) / found[name]["ratio"]
                    canvas.mark(x(intensity(limit)), y(reached), colour, shape,
                                "%s, %s: %.0f %% of the roofline" % (limit["case"], name, 100 / found[name]["ratio"]))
    for index, (d, ff) in enumerate(shapes):
        px, py = LEFT + index * 130, TOP + HEIGHT + 40
        canvas.mark(px + 8, py, COLOURS[index % len(COLOURS)], index, "")
        canvas.text(px + 20, py + 4, "%dx%d" % (d, ff))
    canvas.mark(LEFT + len(shapes) * 130 + 8, TOP + HEIGHT + 40, "#999999", 0, "")
    canvas.text(LEFT + len(shapes) * 130 + 20, TOP + HEIGHT + 44, "best peer")
    return canvas.finish()
