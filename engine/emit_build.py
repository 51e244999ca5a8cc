"""The build sink in generated text: keys and payload of every row, appended; the index is made of them afterwards."""

from __future__ import annotations

from headrace.emit_exact import both_valid
from headrace.emit_expression import emit
from headrace.emit_index import key_words_of
from headrace.emit_keys import KeyWords
from headrace.emit_store import Slots, store
from headrace.emitter import Emitter
from headrace.pipeline import BuildSink, KeySlots, SinkLayout


class BuildText:
    """Writes a build sink."""

    def __init__(self, e: Emitter, sink: BuildSink) -> None:
        self.e = e
        self.sink = sink
        self.slots = Slots([], [])
        self.result = SinkLayout((), ())

    def row(self) -> None:
        e, sink = self.e, self.sink
        keys: list[KeyWords] = []
        if sink.form == "rank":
            value = emit(e, sink.keys[0])
            self._leave_nulls_out(value.valid)
            word = e.temp(value.words[0], "k")
            bits = e.state("bits", "u64[]!")
            low = e.datum(sink.minimum, "i64")
            e.use("atomic_or", "shift_left_u64")
            k = e.temp(f"u64({word} - {low})", "k")
            e.line(f"atomic_or({bits}, {k} >> u64(6), shift_left_u64(u64(1), {k} & u64(63)))")
            numbers = [KeySlots((self.slots.add("i64", word),), False)]
            if sink.presence or (not sink.payload and sink.unique):
                self.slots, numbers = Slots([], []), []
        elif sink.form == "hash":
            keys = key_words_of(e, sink.keys, sink)
            self._leave_nulls_out(
                both_valid(e, *(k.value for k, safe in zip(keys, sink.null_safe, strict=True) if not safe))
            )
            numbers = [
                KeySlots(tuple(self.slots.add(t, w) for t, w in zip(k.types, k.words, strict=True)), k.kind == "text")
                for k in keys
            ]
        else:
            numbers = []
        columns = store(e, sink.payload, self.slots)
        append(e, self.slots)
        self.result = self.slots.layout(columns, tuple(numbers))

    def _leave_nulls_out(self, valid: str | None) -> None:
        """Rows with a NULL key find no match: they are noted if that is asked for, and kept only if that is."""
        e, sink = self.e, self.sink
        if valid is None:
            return
        if sink.notes_nulls:
            nulls = e.state("nulls", "u8[]!")
            e.line(f"if {valid} == u8(0):")
            e.line(f"    {nulls}[u64(0)] = u8(1)")
        if not sink.keeps_nulls:
            e.enter(f"if {valid} != u8(0):")


def append(e: Emitter, slots: Slots) -> None:
    """Write one row of outputs if there is room, and count it in any case (D12)."""
    if slots.words:
        capacity = e.state("capacity", "u64")
        e.line(f"if n < {capacity}:")
        for k, (word, text_) in enumerate(zip(slots.words, slots.texts, strict=True)):
            e.line(f"    {e.state('slot', word + '[]!', k)}[n] = {text_}")
    e.line("n = n + u64(1)")
