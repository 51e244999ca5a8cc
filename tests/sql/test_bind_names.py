"""Names of result columns without an alias are DuckDB's."""

from __future__ import annotations

import pytest

from bind_catalog import expected
from headrace.sql.bind_names import expression_name, quote
from headrace.sql.parse import parse

EXPRESSIONS = """
1 ¦ 1.50 ¦ .5 ¦ 5. ¦ 1e3 ¦ 00.1 ¦ 1_000 ¦ 'abc' ¦ 'it''s' ¦ true ¦ NULL ¦ -1 ¦ -1.5 ¦ -(-1) ¦ - -a ¦ -a
-(a + b) ¦ a + 1 ¦ a+b*2 ¦ (a+b)*2 ¦ ((a+b)) ¦ a - -1 ¦ a % b ¦ a / b ¦ a // b ¦ a ** 2 ¦ c || 'x' ¦ a = 1
a == b ¦ a <> 1 ¦ a != 1 ¦ a < 1 ¦ a >= 1 ¦ n and n ¦ n and n and a = 1 ¦ n or a = 1 and b = 2
(n or a = 1) and n ¦ not n ¦ not (a = 1) ¦ not n and n ¦ a is null ¦ a is not null ¦ a isnull ¦ a notnull
n is true ¦ n is not false ¦ a is distinct from b ¦ a is not distinct from b ¦ a between 1 and b + 1
a not between 1 and 2 ¦ a in (1, 2) ¦ a in (1) ¦ a not in (1, b) ¦ c like 'x%' ¦ c not like 'x'
c ilike 'x' ¦ c like 'x' escape '$' ¦ c not like 'x' escape '$' ¦ c ilike 'x' escape '$'
case when n then 1 else 2 end ¦ case a when 1 then 'x' end ¦ case when n then 1 when a = 1 then 3 end
if(n, a, b) ¦ cast(a as int) ¦ a::varchar ¦ cast(a as decimal(3,1)) ¦ a::decimal ¦ c::date ¦ cast(c as DATE)
a::text ¦ a::int4 ¦ a::numeric(5, 2) ¦ a::decimal(10,2)::int ¦ try_cast(a as tinyint) ¦ a::double
a::bigint ¦ a::real ¦ ts::timestamp_s ¦ date '1992-01-01' ¦ DATE '1992-01-01'
timestamp '1992-01-01 10:00:00' ¦ time '10:00:00' ¦ a::varchar(10) ¦ interval 3 month ¦ interval '3' day
interval (a) day ¦ interval '1' year ¦ interval '2' hours ¦ interval '1 day 2 hours' ¦ d + interval 1 day
d - interval '90' day ¦ extract(year from d) ¦ extract(epoch from ts) ¦ extract('month' from d) ¦ year(d)
date_part('year', d) ¦ coalesce(a, 1) ¦ ifnull(a, b) ¦ nullif(a, b) ¦ greatest(a, b) ¦ ROUND(f, 2)
floor(f) ¦ ceil(f) ¦ ceiling(f) ¦ abs(a) ¦ mod(a, b) ¦ sqrt(f) ¦ substring(c from 1 for 2)
SUBSTRING(c, 1, 2) ¦ substr(c, 1) ¦ trim(c) ¦ trim(both 'x' from c) ¦ trim(leading from c)
trim(trailing 'x' from c) ¦ position('a' in c) ¦ left(c, 2) ¦ upper(c) ¦ replace(c, 'a', 'b')
starts_with(c, 'a') ¦ concat(c, 'x') ¦ count(*) ¦ count() ¦ COUNT(a) ¦ sum(A) ¦ Sum(t.a) ¦ sum(Mix)
sum("quoted Col") ¦ sum("select") ¦ sum(dec) ¦ avg(a) * 2 ¦ count(distinct a)
sum(distinct a) filter (where b > 1) ¦ count(*) filter (where n) ¦ max(a) ¦ min(c) ¦ stddev(a) ¦ first(a)
any_value(a) ¦ bool_and(n) ¦ sum(case when c like 'P%' then dec * (1 - f) else 0 end) / sum(dec)
"""


@pytest.mark.parametrize("expression", [e for line in EXPRESSIONS.strip().splitlines() for e in line.split(" ¦ ")])
def test_an_expression_is_spelled_as_duckdb_spells_it(expression: str) -> None:
    sql = f"SELECT {expression} FROM t"
    described = expected(sql)
    assert described is not None, sql
    (statement,) = parse(sql)
    assert expression_name(statement.tree.expressions[0], sql) == described[0][0]


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("abc", "abc"),
        ("aBc_1", "aBc_1"),
        ("a b", '"a b"'),
        ("1a", '"1a"'),
        ("year", '"year"'),
        ('x"y', '"x""y"'),
    ],
)
def test_names_are_quoted_where_duckdb_quotes_them(name: str, quoted: str) -> None:
    assert quote(name) == quoted
