"""What is wrong with a tree, a checkpoint, a proof or a key."""

from __future__ import annotations

from ..errors import XmlCepError


class ProofError(XmlCepError, ValueError):
    """A proof, checkpoint or key that does not prove what it should; says which, and what that means."""


class SigningKeyError(ProofError):
    """A text that is not a key, or the key of another kind."""
