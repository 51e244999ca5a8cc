"""Every construct, and the differential test that fails when the construct is broken.

A test is named `module::case`, where the module has the case in its `CASES`, or `module::test_name`.
"""

from __future__ import annotations

_OPERATORS = "test_scalars_operators"
_CONDITIONS = "test_scalars_conditions"
_CASTS = "test_scalars_casts"
_TEXT = "test_scalars_text"
_NUMBERS = "test_scalars_numbers"
_DATES = "test_scalars_dates"
_LITERALS = "test_scalars_literals"


def _cases(module: str, constructs: str) -> dict[str, str]:
    """Constructs, separated by two spaces, each tested by the case of its own name or that after `->`."""
    pairs = (part.partition("->") for part in constructs.split("  "))
    return {name: f"{module}::{case or name}" for name, _, case in pairs}


SCALARS: dict[str, str] = {
    **_cases(_OPERATORS, "+  -  *  /  //  %  **  ^->**  unary -  =  <>  <  <=  >  >=  AND  OR  NOT"),
    **_cases(_OPERATORS, "IS DISTINCT FROM  IS NOT DISTINCT FROM  add->+  subtract->-  multiply->*  divide->/"),
    **_cases(_CONDITIONS, "searched CASE  simple CASE  IN  NOT IN  BETWEEN  NOT BETWEEN  IS NULL  IS NOT NULL"),
    **_cases(_CONDITIONS, "IS TRUE  IS FALSE  coalesce  ifnull  nullif  greatest  least  if"),
    **_cases(_CASTS, "CAST  ::  TRY_CAST"),
    **_cases(_TEXT, "||  LIKE  NOT LIKE  ILIKE  ESCAPE  concat  length  len->length  char_length->length"),
    **_cases(_TEXT, "character_length->length  strlen  octet_length->strlen  bit_length->strlen  upper  ucase->upper"),
    **_cases(_TEXT, "lower  lcase->lower  trim  ltrim  rtrim  left  right  substring  substr->substring  replace"),
    **_cases(_TEXT, "reverse  repeat  lpad  rpad  ascii  unicode->ascii  ord->ascii  chr  starts_with"),
    **_cases(_TEXT, "prefix->starts_with  ^@->starts_with  ends_with  suffix->ends_with  contains  position"),
    **_cases(_TEXT, "strpos->position  instr->position"),
    **_cases(_NUMBERS, "abs  @->abs  round  floor  ceil  ceiling->ceil  trunc  sign  even  sqrt  cbrt->sqrt  power"),
    **_cases(_NUMBERS, "pow->power  mod  fmod->mod  exp  ln->logarithms  log->logarithms  log2->logarithms"),
    **_cases(_NUMBERS, "log10->logarithms  sin->trigonometry  cos->trigonometry  tan->trigonometry  cot->trigonometry"),
    **_cases(_NUMBERS, "asin->trigonometry  acos->trigonometry  atan->trigonometry  atan2->trigonometry"),
    **_cases(_NUMBERS, "sinh->hyperbolic  cosh->hyperbolic  tanh->hyperbolic  asinh->hyperbolic  acosh->hyperbolic"),
    **_cases(
        _NUMBERS, "atanh->hyperbolic  degrees  radians->degrees  pi->degrees  isnan  isinf->isnan  isfinite->isnan"
    ),
    **_cases(
        _DATES, "date arithmetic  interval arithmetic  EXTRACT  date_part  last_day  make_date  date_add  INTERVAL"
    ),
    **_cases(_DATES, "date_trunc  datetrunc->date_trunc  date_diff  datediff->date_diff"),
    **dict.fromkeys(
        (
            *("year", "month", "day", "dayofmonth", "hour", "minute", "second", "millisecond", "microsecond"),
            *("decade", "century", "millennium", "quarter", "week", "weekofyear", "dayofweek", "weekday", "isodow"),
            *("dayofyear", "isoyear", "yearweek", "era", "epoch", "julian"),
        ),
        f"{_DATES}::parts by name",
    ),
    **_cases(_LITERALS, "number literals->numbers  text literals->text  blob literals->blobs  NULL"),
    **_cases(_LITERALS, "boolean literals->booleans  date and time literals->dates  interval literals->intervals"),
    **{f"parameters {style}": f"{_LITERALS}::test_parameter_styles" for style in ("?", "$1", "$name")},
    "parameters :name": f"{_LITERALS}::test_colon_name",
    **{
        f"type {name}": f"{_LITERALS}::test_type"
        for name in (
            *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
            *("HUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIME", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP"),
            *("TIMESTAMP_NS", "INTERVAL", "VARCHAR", "BLOB"),
        )
    },
}

# The names of functions and operators in the registry that SQL spells otherwise, or not at all.
SPELLED: dict[str, str] = {
    "equal": "=",
    "not_equal": "<>",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "is_distinct": "IS DISTINCT FROM",
    "is_not_distinct": "IS NOT DISTINCT FROM",
    "is_null": "IS NULL",
    "is_not_null": "IS NOT NULL",
    "and": "AND",
    "or": "OR",
    "not": "NOT",
    "negate": "unary -",
    "integer_divide": "//",
    "modulo": "%",
    "modulo_wide_decimal": "%",
    "concat_operator": "||",
    "like": "LIKE",
    "ilike": "ILIKE",
    "round_tens": "round",
    "whole_microseconds": "EXTRACT",
}

_RELATIONS: dict[str, tuple[str, ...]] = {
    "test_joins::test_key_types": ("INNER JOIN", "LEFT JOIN", "join keys of every type"),
    "test_joins::test_kinds": ("comma joins", "RIGHT JOIN", "CROSS JOIN", "USING", "NATURAL JOIN", "self joins"),
    "test_joins::test_several_keys": ("join on several keys", "join on IS NOT DISTINCT FROM"),
    "test_joins::test_mixed_and_computed_keys": ("join on mixed types", "join on expressions"),
    "test_joins::test_conditions_without_keys": ("join on other conditions",),
    "test_joins::test_unique_build_sides": ("join to a key that does not repeat",),
    "test_joins::test_empty_sides": ("join with an empty side",),
    "test_joins::test_many_tables": ("join of many tables",),
    "test_wide_keys::test_joins": ("join on keys beyond 64 bits",),
    "test_grouping::test_key_types": ("GROUP BY", "group keys of every type"),
    "test_grouping::test_several_keys": ("GROUP BY several keys", "GROUP BY ALL"),
    "test_grouping::test_computed_keys": ("GROUP BY expressions", "GROUP BY position", "GROUP BY alias"),
    "test_grouping::test_grouped_queries": ("HAVING", "groups of joins"),
    "test_grouping::test_distinct": ("DISTINCT",),
    "test_aggregates::test_no_keys": (
        *("count", "count(*)", "sum", "avg", "min", "max", "first", "last", "any_value"),
        *("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "sem"),
        *("bool_and", "bool_or", "count_if", "bit_and", "bit_or", "bit_xor"),
    ),
    "test_aggregates::test_by_group": ("aggregates by group",),
    "test_aggregates::test_expressions_of_aggregates": ("aggregates over expressions",),
    "test_aggregates::test_distinct": ("count(DISTINCT)", "sum(DISTINCT)", "several DISTINCT aggregates"),
    "test_aggregates::test_filter": ("FILTER",),
    "test_aggregates::test_sums_beyond_64_bits": ("sums of 128 bits",),
    "test_aggregates::test_overflow": ("sums that overflow",),
    "test_aggregates::test_refused": ("refused aggregates",),
    "test_order::test_key_types": ("ORDER BY name", "DESC", "NULLS FIRST", "NULLS LAST"),
    "test_order::test_order": ("ORDER BY position", "ORDER BY alias", "ORDER BY expressions", "ORDER BY ALL"),
    "test_order::test_limit": ("LIMIT", "OFFSET", "top-k"),
    "test_order::test_ties_that_limit_cuts": ("ties cut by LIMIT",),
    "test_order::test_source_order": ("rows in source order",),
    "test_queries::test_queries": (
        *("WHERE", "derived tables", "CTEs", "*", "EXCLUDE", "VALUES", "SELECT without FROM"),
    ),
    "test_queries::test_wrong_queries": ("wrong queries",),
    "test_queries::test_refused": ("refused queries",),
    "test_queries::test_tables": (
        *("CREATE TABLE", "CREATE TABLE AS", "CREATE OR REPLACE", "CREATE VIEW", "INSERT", "DROP", "DESCRIBE"),
        "SHOW TABLES",
    ),
    "test_sources::test_parquet": ("read_parquet", "FROM 'file.parquet'"),
    "test_sources::test_csv": ("read_csv",),
    "test_sources::test_objects": ("pyarrow tables", "pandas", "polars", "replacement scans"),
    "test_sources::test_reader": ("pyarrow readers",),
    "test_sources::test_odd_arrow_columns": ("text of different dictionaries",),
    "test_sources::test_changed_in_place": ("objects changed in place",),
    "test_sources::test_a_footer_that_lies": ("Parquet footers that lie",),
    "test_large::test_agrees": ("inputs of several morsels", "equal bytes for any number of threads", "product"),
    "test_large::test_interpreted": ("equal bytes interpreted and compiled",),
    "test_large::test_late_failures": ("failures far into the input",),
    "test_random::test_interpreted": ("random queries",),
}
RELATIONS: dict[str, str] = {construct: test for test, constructs in _RELATIONS.items() for construct in constructs}
"""Constructs of whole queries, and the test of each."""
