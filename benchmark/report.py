"""Tables and a plot of benchmark records.

A record is one contender's result in one case: the case's keys, `threads`, `contender`
and, if it ran, `best` (seconds a call) and `ratio`, the median over the rounds of its
time over that of the contender `limit` in the same round. Times of different runs are
never compared.
"""

import math
import statistics

# What is no competitor: bounds, and this project itself.
BOUNDS = ("limit", "copy", "naive")
OURS = "xfmr"
# Distinguishable by those who do not see all colours (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#000000")


def is_peer(name):
    return name not in BOUNDS and not name.startswith(OURS)


def format_time(seconds):
    return "%.2f µs" % (seconds * 1e6) if seconds < 1e-3 else "%.2f ms" % (seconds * 1e3)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def group(records, kind, threads, sweep=False):
    """Records by case, and the contenders in order."""
    cases, names = {}, []
    for record in records:
        if record["kind"] == kind and record["threads"] == threads and bool(record.get("sweep")) == sweep:
            cases.setdefault(record["case"], {})[record["contender"]] = record
            if record["contender"] not in names:
                names.append(record["contender"])
    return cases, names


def ratio_table(records, kind, threads):
    """Norms: time as a multiple of the limit's. FFN: percent of the roofline reached."""
    cases, names = group(records, kind, threads)
    names = [name for name in names if name != "limit"]
    if kind == "ffn":
        names = [name for name in names if name not in BOUNDS]
    if not cases or not names:
        return ""
    show = (lambda ratio: "%.2f" % ratio) if kind == "norm" else (lambda ratio: "%.0f %%" % (100 / ratio))
    rows, groups = [], {}
    for case, found in cases.items():
        ratios = {name: found[name]["ratio"] for name in names if "ratio" in found.get(name, {})}
        peers = {name: ratio for name, ratio in ratios.items() if is_peer(name)}
        best = min(peers, key=peers.get) if peers else None
        cells = []
        for name in names:
            cell = show(ratios[name]) if name in ratios else "–"
            cells.append("**%s**" % cell if name == best else cell)
            if name in ratios:
                any_record = next(iter(found.values()))
                groups.setdefault((any_record["op"], any_record["dtype"]), {}).setdefault(name, []).append(ratios[name])
        limit = found.get("limit", {}).get("best")
        rows.append([case, format_time(limit) if limit else "–"] + cells)
    for key, found in groups.items():
        counts = {len(ratios) for ratios in found.values()}
        # A mean over fewer cases is no mean to compare with.
        rows.append(["*%s %s, geometric mean*" % key, ""] +
                    [show(geometric_mean(found[name])) if len(found.get(name, ())) == max(counts) else "–"
                     for name in names])
    return markdown(["case", "limit"] + names, rows)


def norm_comparison(records, threads):
    """By how much rmsnorm is faster than layernorm of the same shape."""
    times = {}
    for record in records:
        if record["kind"] == "norm" and record["contender"] == OURS and record["threads"] == threads \
                and "best" in record and not record.get("sweep"):
            times[record["op"], record["dtype"], record["rows"], record["d"]] = record["best"]
    rows = []
    for (op, dtype, n, d), time in times.items():
        other = times.get(("layernorm", dtype, n, d))
        if op == "rmsnorm" and other:
            rows.append(["%s %dx%d" % (dtype, n, d), format_time(time), format_time(other),
                         "%.0f %%" % (100 * (other / time - 1))])
    return markdown(["shape", "rmsnorm", "layernorm", "layernorm takes more by"], rows) if rows else ""


def thread_gain(records):
    """Two threads against one, of this project and the limit in the same cases."""
    rows = []
    for kind in ("norm", "ffn"):
        one, two = (group(records, kind, threads)[0] for threads in (1, 2))
        for case in one:
            gains = []
            for name in ("limit", OURS):
                a, b = (found.get(case, {}).get(name, {}).get("best") for found in (one, two))
                gains.append("%.2f" % (a / b) if a and b else "–")
            if gains[1] != "–":
                rows.append([case] + gains)
    return markdown(["case", "limit", OURS], rows) if rows else ""


def remarks(records):
    """What else there is to know of our own results."""
    ours = [record for record in records if record["contender"].startswith(OURS)]
    lines = []
    compiled = [record["compile_seconds"] for record in ours if record.get("compile_seconds")]
    if compiled:
        lines.append("Compile time of `xfmr-compile`, link included: median %.2f s, most %.2f s."
                     % (statistics.median(compiled), max(compiled)))
    for kind, name in (("norm", "norms"), ("ffn", "FFNs")):
        for dtype in ("f32", "bf16"):
            errors = [record["max_roundings"] for record in ours
                      if (record["kind"], record["dtype"]) == (kind, dtype) and "max_roundings" in record]
            if errors:
                lines.append("Largest error of the %s in %s: %.2f roundings (1 is a correctly rounded result)."
                             % (name, dtype, max(errors)))
    for record in ours:
        if "ratio" not in record:
            lines.append("%s of %s has no result: %s" % (record["case"], record["contender"], record.get("note", "")))
    return "\n".join("- " + line for line in lines)


def moved_bytes(record):
    """The bytes that a norm has to read and write, apart from its weights."""
    return record["rows"] * record["d"] * {"f32": 4, "bf16": 2}[record["dtype"]] * (4 if record["op"].startswith("add") else 2)


def nice_step(top):
    """A step of 1, 2 or 5 times a power of ten, that divides `top` into 4 to 10."""
    power = 10 ** math.floor(math.log10(top / 4))
    return next(power * k for k in (5, 2, 1) if top / (power * k) >= 4)


def plot(records, threads):
    """An SVG: GB/s against d, a line a contender, a panel an op and type. The numbers
    are those of the median ratio to the limit, so noise between rounds cancels."""
    cases, names = group(records, "norm", threads, sweep=True)
    panels = {}
    for found in cases.values():
        limit = found.get("limit", {}).get("best")
        for name, record in found.items():
            if limit and "ratio" in record:
                panels.setdefault((record["op"], record["dtype"]), {}).setdefault(name, []).append(
                    (record["d"], moved_bytes(record) / (limit * record["ratio"]) / 1e9))
    if not panels:
        return ""
    width, height, left, top = 420, 260, 60, 40
    names = [name for name in names if any(name in lines for lines in panels.values())]
    colours = {name: "#888888" if name == "copy" else COLOURS[i % len(COLOURS)]
               for i, name in enumerate([n for n in names if n != "copy"] + ["copy"])}
    total_width = (width + left + 20) * len(panels)
    total_height = height + top + 70
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">'
           % (total_width, total_height),
           '<rect width="100%" height="100%" fill="white"/>']
    for index, ((op, dtype), lines) in enumerate(panels.items()):
        x0 = index * (width + left + 20) + left
        ds = sorted({d for line in lines.values() for d, _ in line})
        low, high = math.log2(ds[0]), max(math.log2(ds[-1]), math.log2(ds[0]) + 1)
        most = max(speed for line in lines.values() for _, speed in line)
        step = nice_step(most)
        peak = math.ceil(most / step) * step
        x = lambda d: x0 + (math.log2(d) - low) / (high - low) * width
        y = lambda speed: top + height - speed / peak * height
        text = lambda px, py, what, anchor: '<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>' % (px, py, anchor, what)
        out.append(text(x0 + width / 2, top - 16, "%s %s, GB/s against d, %d thread%s"
                        % (op, dtype, threads, "s" * (threads > 1)), "middle"))
        for k in range(round(peak / step) + 1):
            out.append('<path d="M%.1f %.1fh%d" stroke="#dddddd"/>' % (x0, y(k * step), width))
            out.append(text(x0 - 6, y(k * step) + 4, "%g" % (k * step), "end"))
        for d in ds:
            if d == 2 ** round(math.log2(d)):
                out.append(text(x(d), top + height + 18, d if d < 1024 else "%dk" % (d // 1024), "middle"))
        for name, line in lines.items():
            points = " ".join("%.1f,%.1f" % (x(d), y(speed)) for d, speed in sorted(line))
            out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s><title>%s</title></polyline>'
                       % (points, colours[name], ' stroke-dasharray="6 4"' if name in BOUNDS else "", name))
    for index, name in enumerate(names):
        px = left + index * 110
        out.append('<path d="M%d %dh24" stroke="%s" stroke-width="2"%s/>'
                   % (px, total_height - 14, colours[name], ' stroke-dasharray="6 4"' if name in BOUNDS else ""))
        out.append('<text x="%d" y="%d">%s</text>' % (px + 30, total_height - 10, name))
    return "\n".join(out + ["</svg>"]) + "\n"


def page(result, plots):
    """Markdown of a whole run; `plots` are the paths of the plots, by threads."""
    context, records = result["context"], result["records"]
    parts = ["- CPU: %s\n- %s\n- Load of the machine, before and after: %s and %s"
             % (context["cpu"], "\n- ".join(context["versions"]), *context["load"]),
             "```sh\n%s\n```" % context["command"]]
    for threads in sorted({record["threads"] for record in records}):
        count = "%d thread%s" % (threads, "s" * (threads > 1))
        for kind, title in (("norm", "Norms, %s: time as a multiple of the limit's" % count),
                            ("ffn", "FFN, %s: percent of the roofline" % count)):
            table = ratio_table(records, kind, threads)
            if table:
                parts += ["### " + title, table]
        table = norm_comparison(records, threads)
        if table:
            parts += ["### rmsnorm against layernorm, %s" % count, table]
        if threads in plots:
            parts += ["### Speed against d, %s" % count, "![GB/s against d](%s)" % plots[threads]]
    gain = thread_gain(records)
    if gain:
        parts += ["### What two threads gain", gain]
    notes = remarks(records)
    if notes:
        parts += ["### Of our own results", notes]
    return "\n\n".join(parts) + "\n"


BEGIN, END = "<!-- Written by benchmark/run from here -->\n", "<!-- to here -->\n"


def replace_block(text, block):
    """A page with its generated part replaced."""
    before, _, rest = text.partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        raise ValueError("the page lacks the lines %r and %r" % (BEGIN.strip(), END.strip()))
    return before + BEGIN + "\n" + block + "\n" + END + after
