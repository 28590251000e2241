"""The public names, written down: whoever adds or removes one does it here, too."""

from __future__ import annotations

import importlib
import inspect

import pytest

SURFACE = {
    "xmlcep": """
        ActionError AuditResult CascadeError CompositeEvent Detector Document MissingExtraError
        PrimitiveEvent RecordError Recording Replica RuleError Rules SchemaError Watch XmlCepError audit
        check_rules combine derive diff fromstring load_rules parse parse_rules read_log rebuild record
        recover wrap
        """,
    "contexts": """
        CONTEXTS FLAT_KEY AnyOrder Chains Chronicle Combination Combinations Context Continuous
        Cumulative Entry Flat Group Grouping Hierarchical Next Owner Recent Unrestricted composite primitive
        """,
    "path_types": """
        Axis PathError PathInstance PathSyntaxError PathType Step XmlCepError absolute_path_intersection
        contains ends equals_or_ends left_bound_intersection offset project
        """,
}
MOST_NAMES = 40


@pytest.mark.parametrize("package", SURFACE)
def test_the_public_names(package: str) -> None:
    module = importlib.import_module(package)
    assert sorted(module.__all__) == sorted(SURFACE[package].split())
    assert len(module.__all__) < MOST_NAMES


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, names in SURFACE.items() for name in names.split()]
)
def test_every_public_class_and_function_says_what_it_is(package: str, name: str) -> None:
    value = getattr(importlib.import_module(package), name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)
