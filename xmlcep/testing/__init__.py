"""Testing one's own rules: edits with the findings that are expected, in Python or in comments of a rules file.

Read `script`, `edits`, `examples`; `pytest_plugin` is what pytest finds.
"""

from .errors import ExampleError
from .examples import Example, examples_of, rules_case

__all__ = ["Example", "ExampleError", "examples_of", "rules_case"]
