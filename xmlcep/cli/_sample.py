"""The sample of a purchase order that comes with xmlcep: where its files are."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType


@dataclass(frozen=True, slots=True)
class Sample:
    """The files of the purchase order sample."""

    folder: Path

    @property
    def document(self) -> Path:
        """The order before the story."""
        return self.folder / "purchase-order.xml"

    @property
    def schema(self) -> Path:
        """Its XML Schema."""
        return self.folder / "purchase-order.xsd"

    @property
    def rules(self) -> Path:
        """What somebody who looks after it wants to be told."""
        return self.folder / "purchase-order.xcep"

    @property
    def control(self) -> Path:
        """What somebody who checks it asks afterwards: absence, time and values."""
        return self.folder / "control.xcep"

    @property
    def acting(self) -> Path:
        """Rules that act: what is to be kept right without being asked."""
        return self.folder / "keeping.xcep"

    @property
    def edits(self) -> ModuleType:
        """The module with the edits, which are ordinary lxml calls."""
        spec = importlib.util.spec_from_file_location("purchase_order_edits", self.folder / "edits.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def find_sample() -> Sample:
    """The sample that came with this installation; of a source folder, its own (see setup.cfg)."""
    package = Path(__file__).parent.parent
    installed = package / "samples" / "purchase_order"
    return Sample(installed if installed.is_dir() else package.parent / "samples" / "purchase_order")
