"""Random SQL with subqueries of every form, over small tables full of NULLs and duplicates."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

COLUMNS = ("x", "y", "z")
TABLES = ("t0", "t1", "t2", "none")
COMPARISONS = ("=", "=", "=", "<>", "<", "<=", ">", ">=", "IS NOT DISTINCT FROM", "IS DISTINCT FROM")
QUANTIFIED = ("=", "<>", "<", "<=", ">", ">=")

Rows = list[tuple[int | None, int | None, int]]


def random_tables(rng: random.Random) -> dict[str, Rows]:
    """The rows of each table: x and y can be NULL, z cannot; `none` has no rows."""
    made: dict[str, Rows] = {}
    for name in TABLES:
        count = 0 if name == "none" else rng.randint(1, 6)
        made[name] = [
            (rng.choice((None, 0, 0, 1, 1, 2)), rng.choice((None, -1, 0, 1, 1, 2)), rng.randint(0, 2))
            for _ in range(count)
        ]
    return made


@dataclass
class QueryMaker:
    """`scopes` are the columns that can be read, those of the innermost query last."""

    rng: random.Random
    scopes: list[list[str]] = field(default_factory=list)
    count: int = 0

    def query(self) -> str:
        """A whole query of one or more columns."""
        return self.select(3, self.rng.randint(1, 3))

    def name(self) -> str:
        self.count += 1
        return f"q{self.count}"

    # ---- queries

    def select(self, depth: int, width: int) -> str:
        rng = self.rng
        kind = rng.random()
        if depth and kind < 0.12:
            word = rng.choice(("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"))
            return f"({self.select(depth - 1, width)}) {word} ({self.select(depth - 1, width)})"
        self.scopes.append([])
        try:
            body = self.body(depth)
            if kind < 0.3:
                return f"SELECT {self.list(width, self.aggregate, depth)} {body}"
            if kind < 0.45:
                key = self.number(0)
                having = f" HAVING {self.aggregate(0)} > {rng.randint(0, 2)}" if rng.random() < 0.3 else ""
                outputs = ", ".join(f"{key if k == 0 else self.aggregate(0)} AS c{k}" for k in range(width))
                return f"SELECT {outputs} {body} GROUP BY {key}{having}"
            word = "DISTINCT " if rng.random() < 0.2 else ""
            return f"SELECT {word}{self.list(width, self.number, depth)} {body}"
        finally:
            self.scopes.pop()

    def list(self, width: int, make: object, depth: int) -> str:
        assert callable(make)
        return ", ".join(f"{make(min(depth, 1) if k else depth)} AS c{k}" for k in range(width))

    def body(self, depth: int) -> str:
        """FROM and WHERE; the columns of FROM join the innermost scope."""
        rng = self.rng
        text = f"FROM {self.item(depth, False)}"
        for _ in range(rng.choice((0, 0, 1))):
            word = rng.choice((", ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " FULL JOIN "))
            lateral = depth > 0 and "FULL" not in word and rng.random() < 0.3
            item = self.item(depth, lateral)
            text += word + item
            if "JOIN" in word:
                text += f" ON {self.condition(0 if 'FULL' in word or lateral else depth - 1)}"
        if rng.random() < 0.8:
            text += f" WHERE {self.condition(depth)}"
        return text

    def item(self, depth: int, lateral: bool) -> str:
        rng = self.rng
        name = self.name()
        if depth and (lateral or rng.random() < 0.15):
            if lateral:
                inner = self.select(depth - 1, 2)
            else:
                own = self.scopes.pop()
                inner = self.select(depth - 1, 2)
                self.scopes.append(own)
            self.scopes[-1] += [f"{name}.c0", f"{name}.c1"]
            return f"({inner}) {name}"
        table = rng.choice(TABLES[:3]) if rng.random() < 0.95 else "none"
        self.scopes[-1] += [f"{name}.{c}" for c in COLUMNS]
        return f"{table} {name}"

    # ---- expressions

    def column(self) -> str:
        """A column, often one of a query around this one."""
        rng = self.rng
        scopes = [s for s in self.scopes if s]
        scope = scopes[-1] if rng.random() < 0.6 else rng.choice(scopes)
        return rng.choice(scope)

    def number(self, depth: int) -> str:
        rng = self.rng
        kind = rng.random()
        if depth > 0 and kind < 0.3:
            return self.scalar(depth - 1)
        if kind < 0.8:
            return self.column()
        if kind < 0.86:
            return str(rng.randint(0, 2))
        if kind < 0.92:
            return f"coalesce({self.column()}, {rng.randint(0, 2)})"
        if depth > 0 and kind < 0.96:
            return f"CASE WHEN {self.condition(depth - 1)} THEN {self.column()} ELSE {self.number(0)} END"
        return f"({self.column()} + {self.column()})"

    def aggregate(self, depth: int) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.25:
            return "count(*)"
        function = rng.choice(("count", "sum", "min", "max"))
        local = rng.choice(self.scopes[-1])
        argument = local if rng.random() < 0.7 else f"({local} + {self.column()})"
        text = f"{function}({'DISTINCT ' if rng.random() < 0.1 else ''}{argument})"
        if kind > 0.9:
            text += f" FILTER (WHERE {local} > {rng.randint(-1, 1)})"
        if depth > 0 and kind < 0.4:
            text = f"coalesce({text}, 0)"
        return text

    def scalar(self, depth: int) -> str:
        """A query of one row, or of the first row in an order."""
        rng = self.rng
        self.scopes.append([])
        try:
            body = self.body(depth)
            if rng.random() < 0.7:
                return f"(SELECT {self.aggregate(depth)} {body})"
            e = self.number(0)
            return f"(SELECT {e} AS c {body} ORDER BY c{rng.choice(('', ' DESC', ' NULLS FIRST'))} LIMIT 1)"
        finally:
            self.scopes.pop()

    def condition(self, depth: int) -> str:
        rng = self.rng
        kind = rng.random()
        if depth > 0:
            if kind < 0.2:
                return f"{rng.choice(('', 'NOT '))}EXISTS ({self.select(depth - 1, 1)})"
            if kind < 0.35:
                return f"{self.number(depth - 1)} {rng.choice(('', 'NOT '))}IN ({self.select(depth - 1, 1)})"
            if kind < 0.42:
                operator, word = rng.choice(QUANTIFIED), rng.choice(("ANY", "ALL"))
                return f"{self.number(depth - 1)} {operator} {word} ({self.select(depth - 1, 1)})"
            if kind < 0.46:
                pair = f"({self.number(0)}, {self.number(0)})"
                return f"{pair} {rng.choice(('', 'NOT '))}IN ({self.select(depth - 1, 2)})"
        if depth >= 0 and kind < 0.66:
            word = rng.choice((" AND ", " AND ", " OR "))
            return f"({self.condition(depth - 1)}{word}{self.condition(depth - 1)})"
        if depth >= 0 and kind < 0.72:
            return f"NOT ({self.condition(depth - 1)})"
        if kind < 0.8:
            return f"{self.column()} IS {rng.choice(('', 'NOT '))}NULL"
        return f"{self.column()} {rng.choice(COMPARISONS)} {self.number(depth)}"
