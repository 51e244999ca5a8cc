"""AND, OR, NOT, the tests for NULL, and the functions that choose among their arguments.

None has a body: the code generator spells them on (value, valid) pairs.
"""

from __future__ import annotations

from headrace.kernels.coercion import common_type_of, comparison_type
from headrace.kernels.registry import Nulls, Overload, scalar
from headrace.types import BOOLEAN, NULL, VARCHAR, SqlType

Types = tuple[SqlType, ...]


def _truth(t: SqlType) -> bool:
    """Whether a value of the type stands for true or false."""
    return t in (BOOLEAN, NULL, VARCHAR) or t.is_numeric


@scalar("and", "or")
def junction(arguments: Types) -> Overload | None:
    if len(arguments) < 2 or not all(map(_truth, arguments)):
        return None
    return Overload((BOOLEAN,) * len(arguments), BOOLEAN, nulls=Nulls.SPECIAL)


@scalar("not")
def negation(arguments: Types) -> Overload | None:
    if len(arguments) != 1 or not _truth(arguments[0]):
        return None
    return Overload((BOOLEAN,), BOOLEAN)


@scalar("is_null", "is_not_null")
def null_test(arguments: Types) -> Overload | None:
    return Overload(arguments, BOOLEAN, nulls=Nulls.SPECIAL) if len(arguments) == 1 else None


@scalar("coalesce", "ifnull")
def coalesce(arguments: Types) -> Overload | None:
    """The first argument that is not NULL."""
    t = common_type_of(arguments)
    if not arguments or t is None:
        return None
    return Overload((t,) * len(arguments), t, nulls=Nulls.SPECIAL)


@scalar("nullif")
def nullif(arguments: Types) -> Overload | None:
    """NULL where the arguments are equal, else the first; for those that compare in the first one's type."""
    if len(arguments) != 2:
        return None
    t = comparison_type(*arguments)
    if t is None or t != arguments[0]:
        return None
    return Overload((t, t), t, nulls=Nulls.SPECIAL)


@scalar("if")
def choice(arguments: Types) -> Overload | None:
    """if(condition, then, otherwise): CASE with one branch; a NULL condition counts as false."""
    if len(arguments) != 3 or not _truth(arguments[0]):
        return None
    t = common_type_of(arguments[1:])
    return None if t is None else Overload((BOOLEAN, t, t), t, nulls=Nulls.SPECIAL)
