"""The tables of products as programs meet them, for perf/tables."""
from table_parts import measurements, number, table, value_of

BEFORE, NOW = "2026-11-22-nvidia-h200-situations", "2026-11-23-nvidia-h200-situations"


def old_situations():
    """The library before: the first half of the section, which has both, one after the other."""
    rows = measurements(BEFORE, "situations")
    return rows[:len(rows) // 2]


def situations():
    before, now = old_situations(), measurements(NOW, "situations", section="one NumPy product as programs meet it")
    shapes = ((1024, 1024), (2048, 2048), (2048, 1024), (4096, 4096), (8192, 8192))
    rows = []
    for situation, name in (("reused", "C reused"), ("new", "a new C"), ("after", "after a product of the CPU BLAS"), ("new, after", "both"),
                            ("four", "four threads, one product")):
        for side, label in ((before, f"{name}, before"), (now, name)):
            rows.append([label, *(number(value_of(side, "median_ms", situation=situation, m=m, n=n)) for m, n in shapes)])
    return table(["order", "1024", "2048", "2048 x 1024 x 2048", "4096", "8192"], rows)


def callers():
    source = measurements(NOW, "callers")
    lines = (("one after another", "alone_ms"), ("at once", "together_ms"), ("ratio", "ratio"))
    return table(["order", *(str(row["n"]) for row in source)],
                 [[label, *(number(row[name], 2 if name == "ratio" else 3) for row in source)] for label, name in lines])


def first_products():
    """Times of preparation, and how much longer the first product takes than the usual one."""
    ready, first = measurements(BEFORE, "ready"), measurements(BEFORE, "first")
    rows = []
    for situation, label in (("empty", "ready, from an empty cache, s"), ("cached", "ready, with it, s")):
        rows.append([label, *(", ".join(number(row["seconds"]) for row in ready if (row["library"], row["situation"]) == (library, situation))
                              for library in ("old", "new"))])
    for situation, label in (("first", "first product"), ("after idle", "first after idling")):
        for n in (4096, 8192):
            rows.append([f"{label} at {n}, times the usual",
                         *(number(value_of(first, "ratio", library=library, situation=situation, n=n)) for library in ("old", "new"))])
    return table(["", "before", "now"], rows)


TABLES = {"situations": situations, "callers": callers, "first products": first_products}
