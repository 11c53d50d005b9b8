"""Tables of benchmark records.

A record is one contender's result in one case: the case's keys, `threads`, `contender`
and, if it ran, `best` (seconds a call), `times` (of each round) and `ratio`, the median
over the rounds of its time over that of the contender `limit` in the same round. A
case's `set` says which table it is for. Times of different runs are never compared.
"""

import math
import statistics

import description

# What is no competitor: bounds, and this project itself.
BOUNDS = ("limit", "copy", "naive")
OURS = "xfmr"
NETWORK_SETS = ("ffn", "gates")


def is_peer(name):
    return name not in BOUNDS and not name.startswith(OURS)


def format_time(seconds):
    return "%.2f µs" % (seconds * 1e6) if seconds < 1e-3 else "%.2f ms" % (seconds * 1e3)


def format_bytes(count):
    return "%.1f KB" % (count / 1e3) if count < 1e6 else "%.1f MB" % (count / 1e6)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def group(records, kind, threads):
    """Records of a set by case, and the contenders in order."""
    cases, names = {}, []
    for record in records:
        if record["set"] == kind and record["threads"] == threads:
            cases.setdefault(record["case"], {})[record["contender"]] = record
            if record["contender"] not in names:
                names.append(record["contender"])
    return cases, names


def get_ratios(found, peers_only=False):
    """The ratios to the limit of the contenders that have one."""
    return {name: record["ratio"] for name, record in found.items()
            if "ratio" in record and name != "limit" and (is_peer(name) or not peers_only)}


def compare(found, name, other):
    """The median over the rounds of one contender's time over another's, or None."""
    pairs = zip(*(found.get(one, {}).get("times", ()) for one in (name, other)))
    ratios = [a / b for a, b in pairs if a and b]
    return statistics.median(ratios) if ratios else None


def ratio_table(records, kind, threads):
    """Rows: time as a multiple of the limit's. FFN: percent of the roofline reached."""
    cases, names = group(records, kind, threads)
    names = [name for name in names if name != "limit"]
    if kind in NETWORK_SETS:
        names = [name for name in names if name not in BOUNDS]
    if not cases or not names:
        return ""
    show = (lambda ratio: "%.0f %%" % (100 / ratio)) if kind in NETWORK_SETS else (lambda ratio: "%.2f" % ratio)
    rows, groups = [], {}
    for case, found in cases.items():
        ratios = get_ratios(found)
        peers = get_ratios(found, peers_only=True)
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
    return markdown(["case", "copy" if kind == "rows" else "limit"] + names, rows)


def verdict(records, kind, threads):
    """What a table says in two lines: against the limit and against the peers."""
    cases, names = group(records, kind, threads)
    lines = []
    for name in (name for name in names if name.startswith(OURS)):
        speeds = {case: 1 / found[name]["ratio"] for case, found in cases.items() if "ratio" in found.get(name, {})}
        if not speeds:
            continue
        worst = min(speeds, key=speeds.get)
        what = "the roofline" if kind in NETWORK_SETS else "the copy's speed" if kind == "rows" else "the limit's speed"
        line = "`%s` reaches %.0f %% of %s in the median of %d cases, %.0f %% at least (%s)" % (
            name, 100 * statistics.median(speeds.values()), what, len(speeds), 100 * speeds[worst], worst)
        leads, leads_of = {}, {}
        for case, found in cases.items():
            peers = get_ratios(found, peers_only=True)
            if peers and case in speeds:
                for peer, ratio in peers.items():
                    leads_of.setdefault(peer, []).append(ratio * speeds[case])
                best = min(peers, key=peers.get)
                leads["%s, %s" % (case, best)] = peers[best] * speeds[case]
        if leads:
            nearest = min(leads, key=leads.get)
            line += "; the best peer of a case takes %.2f times as long in the geometric mean, %.2f times at least (%s)" % (
                geometric_mean(leads.values()), leads[nearest], nearest)
            # Of one that did not take part everywhere there is no mean to compare.
            means = {peer: geometric_mean(found) for peer, found in leads_of.items() if len(found) == len(speeds)}
            if means:
                first = min(means, key=means.get)
                line += "; the best of all peers over all cases, %s, takes %.2f times" % (first, means[first])
        lines.append("- " + line + ".")
    return "\n".join(lines)


def norm_comparison(records, threads):
    """By how much rmsnorm is faster than layernorm of the same shape."""
    times = {}
    for record in records:
        if record["set"] == "norms" and record["contender"] == OURS and record["threads"] == threads and "best" in record:
            times[record["op"], record["dtype"], record["rows"], record["d"]] = record["best"]
    rows = []
    for (op, dtype, n, d), time in times.items():
        other = times.get(("layernorm", dtype, n, d))
        if op == "rmsnorm" and other:
            rows.append(["%s %dx%d" % (dtype, n, d), format_time(time), format_time(other),
                         "%.0f %%" % (100 * (1 - time / other))])
    if not rows:
        return ""
    return ("Published, of whole models: 7 % to 64 %. Where memory alone rules, the two would be "
            "equal.\n\n" + markdown(["shape", "rmsnorm", "layernorm", "rmsnorm takes less by"], rows))


def static_and_dynamic(records, threads):
    """What it costs not to know shapes: time as a multiple of the static code's."""
    rows = []
    cases, names = group(records, "norms", threads)
    for name in (name for name in names if name.startswith(OURS + "_")):
        for few, which in ((False, "32 rows and more"), (True, "fewer rows")):
            costs = {case: compare(found, name, OURS) for case, found in cases.items()
                     if (next(iter(found.values()))["rows"] < 32) == few}
            costs = {case: cost for case, cost in costs.items() if cost}
            if costs:
                worst = max(costs, key=costs.get)
                rows.append([name, which, "%.2f" % statistics.median(costs.values()), "%.2f" % costs[worst], worst])
    return markdown(["", "", "median", "most", "where"], rows) if rows else ""


def ragged(records, threads):
    """The price of a d that fills no vector, of ours and of the limit: time a value as a
    multiple of that of the next case, which has a whole number of vectors."""
    cases, _ = group(records, "ragged", threads)
    rows = []
    whole = None
    for case, found in cases.items():
        one = next(iter(found.values()))
        if one["d"] % 64 == 0:
            whole = found
        elif whole:
            prices = []
            for name in ("limit", OURS):
                best = [pair.get(name, {}).get("best") for pair in (found, whole)]
                size = [pair[name]["rows"] * pair[name]["d"] for pair in (found, whole) if name in pair]
                prices.append(best[0] / size[0] / (best[1] / size[1]) if all(best) else None)
            if all(prices):
                rows.append([case] + ["%.2f" % price for price in prices] + ["%.2f" % (prices[1] / prices[0])])
    return markdown(["case", "limit", OURS, OURS + " / limit"], rows) if rows else ""


def thread_gain(records, kinds=("norms", "ffn")):
    """Two threads against one, of this project and the limit in the same cases. The
    share of the limit's gain is of the ratios to it, where noise between runs cancels."""
    rows, shares = [], {}
    for kind in kinds:
        one, two = (group(records, kind, threads)[0] for threads in (1, 2))
        for case in one:
            best, ratio = ([[found.get(case, {}).get(name, {}).get(key) for found in (one, two)] for name in ("limit", OURS)]
                           for key in ("best", "ratio"))
            if all(best[1]):
                cells = ["%.2f" % (a / b) if a and b else "–" for a, b in best]
                if all(ratio[1]):
                    shares[case] = ratio[1][0] / ratio[1][1]
                rows.append([case] + cells + ["%.0f %%" % (100 * shares[case]) if case in shares else "–"])
    if not rows:
        return ""
    table = markdown(["case", "limit", OURS, "of the limit's gain"], rows)
    if not shares:
        return table
    worst = min(shares, key=shares.get)
    return "`%s` gains %.0f %% of what the limit gains in the median, %.0f %% at least (%s).\n\n%s" % (
        OURS, 100 * statistics.median(shares.values()), 100 * shares[worst], worst, table)


def decode(records, threads):
    """How M = 16 compares with M = 1, and what one path for every M costs."""
    cases, _ = group(records, "ffn", threads)
    times, costs = {}, {}
    for found in cases.values():
        if "best" in found.get(OURS, {}):
            record = found[OURS]
            key = (record["dtype"], record["d"], record["ff"])
            times.setdefault(key, {})[record["M"]] = record["best"]
            cost = compare(found, OURS + "_invariant", OURS)
            if cost:
                costs[key + (record["M"],)] = cost
    parts = []
    rows = [["%s %dx%d" % key, format_time(found[1]), format_time(found[16]), "%.2f" % (found[16] / found[1])]
            for key, found in times.items() if 1 in found and 16 in found]
    if rows:
        parts.append(markdown(["network", "M = 1", "M = 16", "ratio"], rows))
    if costs:
        parts.append("What `--batch-invariant` costs, as a multiple of the time without:")
        parts.append(markdown(["network", "M", "cost"], [["%s %dx%d" % key[:3], str(key[3]), "%.2f" % cost]
                                                         for key, cost in costs.items()]))
    return "\n\n".join(parts)


def footprint_tables(footprints):
    """Compile time, object size and memory; a footprint is described in footprint.py."""
    parts = []
    rows = [f for f in footprints if f["kind"] == "norm"]
    if rows:
        ds = sorted({f["d"] for f in rows})
        header = ["op"] + ["%s" % ("any d" if d == 0 else "d = %d" % d) for d in ds]
        table = []
        for key in dict.fromkeys((f["op"], f["dtype"]) for f in rows):
            found = {f["d"]: f for f in rows if (f["op"], f["dtype"]) == key}
            table.append(["%s %s" % key] + ["%.0f ms, %s" % (1e3 * found[d]["compile_seconds"], format_bytes(found[d]["object_bytes"]))
                                            if d in found else "–" for d in ds])
        parts += ["Processor time of `xfmr-compile` to an object file, best of %d, and the object's size:" % rows[0]["runs"],
                  markdown(header, table)]
    networks = [f for f in footprints if f["kind"] == "ffn"]
    if networks:
        parts += ["Of networks; memory is what a call takes beside its arguments, at its peak:",
                  markdown(["network", "compile", "object", "memory of a call", "of the hidden value"],
                           [["swiglu %s M=%d %dx%d" % (f["dtype"], f["M"], f["d"], f["ff"]),
                             "%.0f ms" % (1e3 * f["compile_seconds"]), format_bytes(f["object_bytes"]),
                             format_bytes(f["call_bytes"]),
                             format_bytes(f["M"] * f["ff"] * {"f32": 4, "bf16": 2}[f["dtype"]])] for f in networks])]
    return "\n\n".join(parts)


def packing_table(packings):
    """The speed of packing as a share of a copy's; a packing is described in packing.py."""
    rows = []
    for case in packings:
        shares = ["%.0f %%" % (100 * statistics.median(a / b for a, b in zip(case["copy"], case[way]))) if case[way] else "–"
                  for way in ("elsewhere", "in_place")]
        rows.append(["%s %dx%d %s" % (case["dtype"], case["d"], case["ff"], case["layout"]), str(case["threads"]),
                     format_bytes(case["bytes"]), "%.1f GB/s" % (2e-9 * case["bytes"] / min(case["copy"])), *shares,
                     format_bytes(case["peak_bytes"]) if case["in_place"] else "–"])
    if not rows:
        return ""
    return ("Of all weights of a SwiGLU network. A copy reads and writes their bytes once. In place, the packed "
            "weights take the memory of the weights, and some besides during the call.\n\n"
            + markdown(["weights", "threads", "bytes", "copy", "packed elsewhere", "in place", "memory besides"], rows))


def remarks(records):
    """What else there is to know of our own results."""
    ours = [record for record in records if record["contender"].startswith(OURS)]
    lines = []
    for kind, name in (("norm", "row ops"), ("ffn", "FFNs")):
        for dtype in description.DTYPES:
            errors = [record["max_roundings"] for record in ours
                      if (record["kind"], record["dtype"]) == (kind, dtype) and "max_roundings" in record]
            if errors:
                lines.append("Largest error of the %s in %s: %.2f roundings (1 is a correctly rounded result)."
                             % (name, dtype, max(errors)))
    for record in ours:
        if "ratio" not in record:
            lines.append("%s of %s has no result: %s" % (record["case"], record["contender"], record.get("note", "")))
    return "\n".join("- " + line for line in lines)


def page(result, plots):
    """Markdown of a whole run; `plots` are the paths of the plots, by kind and threads."""
    context, records = result["context"], result["records"]
    parts = ["- CPU: %s\n- %s\n- Load of the machine, before and after: %s and %s"
             % (context["cpu"], "\n- ".join(context["versions"]), *context["load"]),
             "```sh\n%s\n```" % context["command"]]

    def add(title, *texts):
        texts = [text for text in texts if text]
        if texts:
            parts.extend(["### " + title, *texts])

    for threads in sorted({record["threads"] for record in records}):
        count = "%d thread%s" % (threads, "s" * (threads > 1))
        for kind, title in (("norms", "Norms, %s: time as a multiple of the limit's"),
                            ("rows", "Gates and softmax, %s: time as a multiple of the copy's"),
                            ("ffn", "FFN, %s: percent of the roofline"),
                            ("gates", "FFN with other gates, %s: percent of the roofline")):
            table = ratio_table(records, kind, threads)
            add(title % count, table and verdict(records, kind, threads), table)
            if kind == "norms":
                add("rmsnorm against layernorm, %s" % count, norm_comparison(records, threads))
                add("Shapes known at run time alone, %s: time as a multiple of the static code's" % count,
                    static_and_dynamic(records, threads))
                add("Rows that fill no vector, %s" % count, ragged(records, threads))
            if kind == "ffn":
                add("Decode, %s" % count, decode(records, threads))
        for kind, title in (("speed", "Speed against d"), ("roofline", "Roofline")):
            if (kind, threads) in plots:
                add("%s, %s" % (title, count), "![%s](%s)" % (title, plots[kind, threads]))
    add("What two threads gain", thread_gain(records))
    add("Compile time and size", footprint_tables(result.get("footprints", ())))
    add("Packing: percent of a copy's speed", packing_table(result.get("packings", ())))
    add("Of our own results", remarks(records))
    return "\n\n".join(parts) + "\n"


BEGIN, END = "<!-- Written by benchmark/run from here -->\n", "<!-- to here -->\n"


def replace_block(text, block):
    """A page with its generated part replaced."""
    before, _, rest = text.partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        raise ValueError("the page lacks the lines %r and %r" % (BEGIN.strip(), END.strip()))
    return before + BEGIN + "\n" + block + "\n" + END + after
