"""How much the service has done: for Prometheus as text, for OpenTelemetry by its API, if an SDK is set up."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any

from opentelemetry.metrics import CallbackOptions, Observation, get_meter

from .store import Store


class Metrics:
    """Counts of a store, and of who listens."""

    def __init__(self, store: Store, listeners: Sized) -> None:
        self._store = store
        self._listeners = listeners
        meter = get_meter("xmlcep")
        for name, (kind, what) in _METRICS.items():
            make = meter.create_observable_counter if kind == "counter" else meter.create_observable_gauge
            make(name, callbacks=[self._observer(name)], description=what)

    def values(self) -> dict[str, int]:
        """The counts by name."""
        store = self._store
        return {
            "xmlcep_edits": store.edits, "xmlcep_findings": len(store.journal), "xmlcep_documents": len(store.names),
            "xmlcep_listeners": len(self._listeners),
        }  # fmt: skip

    def text(self) -> str:
        """The counts as Prometheus reads them."""
        found = []
        for name, value in self.values().items():
            kind, what = _METRICS[name]
            full = f"{name}_total" if kind == "counter" else name
            found.append(f"# HELP {full} {what}\n# TYPE {full} {kind}\n{full} {value}\n")
        return "".join(found)

    def _observer(self, name: str) -> Any:
        def observe(_: CallbackOptions) -> Iterable[Observation]:
            yield Observation(self.values()[name])

        return observe


_METRICS = {
    "xmlcep_edits": ("counter", "Edits since the service was started."),
    "xmlcep_findings": ("counter", "Findings in the journal."),
    "xmlcep_documents": ("gauge", "Documents."),
    "xmlcep_listeners": ("gauge", "Who listens to findings."),
}
