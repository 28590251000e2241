"""What can be wrong with a schema, or with what is asked of it."""

from __future__ import annotations

from ..errors import XmlCepError


class SchemaError(XmlCepError, ValueError):
    """A schema that cannot be read, a name that is not in it, or more than its limits allow."""


class NothingToDeriveError(SchemaError):
    """A schema whose elements have no content to wait for: right as it is, but no events can be made of it."""
