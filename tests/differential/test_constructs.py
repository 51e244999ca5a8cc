"""The list of constructs names tests that exist."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from differential import constructs

HERE = Path(__file__).parent
LISTED = {**constructs.RELATIONS}


@pytest.mark.parametrize("construct", LISTED)
def test_the_test_exists(construct: str) -> None:
    file, _, name = LISTED[construct].partition("::")
    tree = ast.parse((HERE / file).read_text())
    assert name.partition("[")[0] in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
