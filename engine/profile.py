"""What a query did: time, rows and bytes of each pipeline, kernels compiled, transfers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class PipelineProfile:
    """One pipeline's run. `rows` are those it read, `bytes` those of the columns it read; times in milliseconds."""

    name: str
    rows: int = 0
    rows_out: int = 0
    milliseconds: float = 0.0
    finish_ms: float = 0.0
    bytes: int = 0
    compiled: bool = False
    lanes: int = 1


@dataclass(slots=True)
class Profile:
    """One query's run. The counts of transfers and launches are None on devices that have none."""

    pipelines: list[PipelineProfile] = field(default_factory=list)
    compiled: int = 0
    compile_ms: float = 0.0
    planning_ms: float = 0.0
    lowering_ms: float = 0.0
    loading_ms: float = 0.0
    result_ms: float = 0.0
    total_ms: float = 0.0
    device: str = "cpu"
    launches: int | None = None
    syncs: int | None = None
    bytes_up: int | None = None
    bytes_down: int | None = None
    peak_device_bytes: int | None = None

    @property
    def bytes(self) -> int:
        """Bytes of all columns that the pipelines read."""
        return sum(p.bytes for p in self.pipelines)

    def render(self) -> str:
        """The profile as text, one line a pipeline."""
        lines = [
            f"{'pipeline':<18} {'mode':<11} {'rows in':>12} {'rows out':>10} {'MB':>9} {'ms':>9} {'finish ms':>10}"
        ]
        for p in self.pipelines:
            mode = "compiled" if p.compiled else "interpreted"
            lines.append(
                f"{p.name:<18} {mode:<11} {p.rows:>12,} {p.rows_out:>10,} {p.bytes / 1e6:>9.2f} "
                f"{p.milliseconds:>9.2f} {p.finish_ms:>10.2f}"
            )
        lines.append(
            f"device {self.device}; planning {self.planning_ms:.2f} ms, loading {self.loading_ms:.2f} ms, "
            f"lowering {self.lowering_ms:.2f} ms, result {self.result_ms:.2f} ms; "
            f"kernels compiled {self.compiled} in {self.compile_ms:.0f} ms"
        )
        return "\n".join(lines)
