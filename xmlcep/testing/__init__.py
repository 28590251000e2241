"""Testing one's own rules: edits with the findings that are expected, in Python or in comments of a rules file.

Read `script`, `edits`, `examples`; `pytest_plugin` is what pytest finds.
"""

from .errors import ExampleError as ExampleError
from .examples import Example as Example
from .examples import examples_of as examples_of
from .examples import rules_case as rules_case

__all__ = ["Example", "ExampleError", "examples_of", "rules_case"]
