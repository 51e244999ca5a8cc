"""Random queries over the tables of `relation_data`: joins of up to four inputs, filters, groups, orders, limits."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

_WIDE = {
    "id": "i", "ki": "i", "ks": "i", "kl": "i", "ku": "i", "kt": "t", "kd": "d", "kc": "n", "kw": "n",
    "kf": "f", "kg": "f", "kb": "b", "v": "i", "w": "f", "n": "t",
}  # fmt: skip

SOURCES: dict[str, tuple[str, int, dict[str, str]]] = {
    "l": ("l", 5, _WIDE),
    "r": ("r", 4, _WIDE),
    "nol": ("nol", 1, _WIDE),
    "dense": ("dense", 4, {"k": "i", "label": "t", "up": "i"}),
    "sparse": ("sparse", 3, {"k": "i", "label": "t", "amount": "f"}),
    "words": ("words", 3, {"k": "t", "size": "i"}),
    "pairs": ("pairs", 3, {"a": "i", "b": "t", "z": "i"}),
    "ties": ("ties", 1, {"id": "i", "a": "i", "b": "t", "f": "f", "d": "n", "u": "t"}),
    "groups": (
        "(SELECT ki AS k, count(*) AS c, min(kt) AS t, sum(w) AS s FROM l GROUP BY ki)",
        2,
        {"k": "i", "c": "i", "t": "t"},
    ),
    "names": (
        "(SELECT kt AS k, max(kd) AS d, count(DISTINCT ki) AS c FROM r GROUP BY kt)",
        2,
        {"k": "t", "d": "d", "c": "i"},
    ),
    "first": ("(SELECT ki, kt, n, v FROM l ORDER BY n, id LIMIT 15)", 2, {"ki": "i", "kt": "t", "n": "t", "v": "i"}),
    "outer": (
        "(SELECT l.id, d.label, d.up, l.kt FROM l LEFT JOIN dense d ON l.ki = d.k)",
        2,
        {"id": "i", "label": "t", "up": "i", "kt": "t"},
    ),
    "several": ("(SELECT DISTINCT kb, kc, upper(kt) AS t FROM r)", 1, {"kb": "b", "kc": "n", "t": "t"}),
}
"""The inputs of FROM: text, weight, and columns with their kinds (whole, numeric, float, text, date, Boolean)."""

_CONSTANTS = {
    "i": ("-3", "0", "1", "2", "3", "5", "7"),
    "t": ("'a'", "'b'", "''", "'name 1'", "'zz'"),
    "d": ("DATE '2020-02-29'", "DATE '2020-02-27'"),
    "n": ("0.25", "-0.5", "1"),
    "f": ("0", "0.25", "-1.5", "5"),
    "b": ("true", "false"),
}
_BIG = ("l", "r", "ties", "outer")


@dataclass(slots=True)
class Query:
    """One random query. `columns` are those in reach so far, with their kinds."""

    rng: random.Random
    columns: list[tuple[str, str]] = field(default_factory=list)

    def text(self) -> str:
        from_ = self.joined()
        where = f" WHERE {self.predicate()}" if self.rng.random() < 0.5 else ""
        items, tail, count, averages = self.grouped() if self.rng.random() < 0.5 else self.listed()
        sql = f"SELECT {items} FROM {from_}{where}{tail}"
        if self.rng.random() < 0.3 and not averages:
            keys = (f"{k + 1}{self.rng.choice(['', ' DESC', ' NULLS FIRST'])}" for k in range(count))
            sql += f" ORDER BY {', '.join(keys)}"
            if self.rng.random() < 0.7:
                sql += f" LIMIT {self.rng.choice([0, 3, 10])}{self.rng.choice(['', ' OFFSET 1', ' OFFSET 5'])}"
        return sql

    # ---- FROM

    def joined(self) -> str:
        """One to four inputs with their join conditions, of which at most two are large."""
        rng = self.rng
        names = rng.choices(list(SOURCES), [s[1] for s in SOURCES.values()], k=rng.choice([1, 1, 2, 2, 2, 3, 3, 4]))
        while sum(name in _BIG for name in names) > 2:
            names[next(k for k, name in enumerate(names) if name in _BIG)] = "dense"
        text = ""
        for place, name in enumerate(names):
            source, _, columns = SOURCES[name]
            own = [(f"t{place}.{c}", kind) for c, kind in columns.items()]
            if place == 0:
                text = f"{source} t0"
                self.columns = own
                continue
            kind = rng.choice(
                ["JOIN", "LEFT JOIN"] if place > 1 else ["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN"]
            )
            text += f" {kind} {source} t{place} ON {self.condition(own)}"
        return text

    def condition(self, own: list[tuple[str, str]]) -> str:
        """Equalities between what is in reach and a new input, perhaps with a predicate; then it is in reach too."""
        rng = self.rng
        terms = []
        for _ in range(rng.choice([1, 1, 1, 2])):
            mine, kind = rng.choice(self.columns)
            others = [c for c, k in own if k == kind or {k, kind} <= {"i", "n", "f"}]
            if others:
                terms.append(f"{mine} {rng.choice(['=', '=', '=', '=', 'IS NOT DISTINCT FROM'])} {rng.choice(others)}")
        self.columns = self.columns + own
        if rng.random() < 0.35 or not terms:
            terms.append(self.predicate())
        return " AND ".join(terms)

    # ---- SELECT

    def listed(self) -> tuple[str, str, int, bool]:
        """What SELECT lists, what follows WHERE, how many columns, and whether float sums are among them."""
        rng = self.rng
        items = [f"{self.expression()[0]} AS c{k}" for k in range(rng.choice([1, 2, 4]))]
        return f"{'DISTINCT ' if rng.random() < 0.2 else ''}{', '.join(items)}", "", len(items), False

    def grouped(self) -> tuple[str, str, int, bool]:
        rng = self.rng
        keys = [f"{self.expression()[0]} AS k{k}" for k in range(rng.choice([0, 1, 1, 2, 3]))]
        calls = [f"{self.aggregate()} AS a{k}" for k in range(rng.choice([1, 2, 3]))]
        tail = f" GROUP BY {', '.join(str(k + 1) for k in range(len(keys)))}" if keys else ""
        if rng.random() < 0.2:
            tail += f" HAVING count(*) > {rng.choice([0, 1, 3])}"
        summed = any("avg(" in call or "sum(" in call for call in calls)
        return ", ".join(keys + calls), tail, len(keys) + len(calls), summed

    def aggregate(self) -> str:
        rng = self.rng
        argument, kind = self.expression()
        names = ["count", "min", "max", "count(DISTINCT", "count(*)"] + (
            ["sum", "avg", "sum", "avg"] if kind in "inf" else []
        )
        name = rng.choice(names)
        call = name if name == "count(*)" else f"{name} {argument})" if "(" in name else f"{name}({argument})"
        return f"{call} FILTER (WHERE {self.predicate()})" if rng.random() < 0.2 else call

    # ---- expressions

    def expression(self) -> tuple[str, str]:
        column, kind = self.rng.choice(self.columns)
        forms = {
            "i": ["({0} % 3)", "({0} // 2)", "coalesce({0}, 0)", "CASE WHEN {0} > 1 THEN {0} END"],
            "t": ["upper({0})", "substring({0}, 1, 1)", "coalesce({0}, 'a')", "({0} || 'x')"],
            "b": ["(NOT {0})"],
        }.get(kind, ["coalesce({0}, {0})"])
        form = "{0}" if self.rng.random() < 0.6 else self.rng.choice(forms)
        return form.format(column), kind

    def predicate(self, depth: int = 0) -> str:
        rng = self.rng
        chance = rng.random()
        if depth < 2 and chance < 0.25:
            return f"({self.predicate(depth + 1)} {rng.choice(['AND', 'OR'])} {self.predicate(depth + 1)})"
        if depth < 2 and chance < 0.3:
            return f"NOT {self.predicate(depth + 1)}"
        mine, kind = self.expression()
        constants = _CONSTANTS[kind]
        if chance < 0.45:
            return f"{mine} IS {rng.choice(['', 'NOT '])}NULL"
        if kind == "t" and chance < 0.55:
            return f"{mine} LIKE '%a%'"
        if chance < 0.65:
            return f"{mine} IN ({rng.choice(constants)}, {rng.choice(constants)})"
        operator = rng.choice(["=", "<>", "<", ">=", "IS DISTINCT FROM"])
        same = [c for c, k in self.columns if k == kind]
        return f"{mine} {operator} {rng.choice(same) if chance < 0.8 else rng.choice(constants)}"


def random_query(seed: int) -> str:
    """The query of a seed."""
    return Query(random.Random(seed)).text()
