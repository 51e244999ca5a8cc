"""One call of a primitive while numba lowers a function: the builder, the signature, and access to arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llvmlite import ir


@dataclass(frozen=True, slots=True)
class Call:
    """The place where instructions go; `arrays` is numba's module of array structures for the target."""

    context: Any
    builder: Any
    signature: Any
    arrays: Any

    def element(self, argument: int, value: Any, index: Any) -> Any:
        """The address of element `index` (64 bits) of array argument number `argument`, which is `value`."""
        array = self.arrays.make_array(self.signature.args[argument])(self.context, self.builder, value)
        return self.builder.gep(array.data, [index])

    def intrinsic(self, name: str, *values: Any) -> Any:
        """Call an LLVM intrinsic whose arguments and result are all of one type."""
        of = values[0].type
        function = self.builder.module.declare_intrinsic(name, [of], ir.FunctionType(of, [of] * len(values)))
        return self.builder.call(function, values)

    def function(self, symbol: str, result: Any, *values: Any) -> Any:
        """Call an external function that touches no memory."""
        module = self.builder.module
        found = module.globals.get(symbol)
        if found is None:
            found = ir.Function(module, ir.FunctionType(result, [v.type for v in values]), name=symbol)
            found.attributes.add("nounwind")
        return self.builder.call(found, values)
