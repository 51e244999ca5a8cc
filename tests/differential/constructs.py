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
        _DATES, "date arithmetic  interval arithmetic  EXTRACT  date_part  last_day  make_date  date_add  INTERVAL"),
    **_cases(_DATES, "date_trunc  datetrunc->date_trunc  date_diff  datediff->date_diff"
    ),
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
