"""Time stamps of checkpoints (RFC 3161): an authority says by when there was one. Needs the extra ``stamp``.

What is stamped is the text of the checkpoint, which its key signs, too.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ..errors import MissingExtraError
from .errors import ProofError
from .notes import Note


def request_of(note: Note) -> bytes:
    """The request, in DER, that is sent to an authority: by HTTP, as ``application/timestamp-query``, or by hand."""
    built: bytes = _library().TimestampRequestBuilder().data(note.text.encode()).build().as_bytes()
    return built


def check_stamp(note: Note, response: bytes, roots: bytes) -> datetime:
    """When a checkpoint was stamped, by the response of an authority; ``roots`` are the certificates that are trusted,
    in PEM. Raises `ProofError` if the response is not a stamp of it, or of nobody who is trusted."""
    library = _library()
    from cryptography import x509

    try:
        builder = library.VerifierBuilder()
        for certificate in x509.load_pem_x509_certificates(roots):
            builder = builder.add_root_certificate(certificate)
        stamp = library.decode_timestamp_response(response)
        builder.build().verify_message(stamp, note.text.encode())
        at: datetime = stamp.tst_info.gen_time
    except (ValueError, library.VerificationError) as error:
        raise ProofError(f"not a time stamp of this checkpoint by a trusted authority: {error}") from error
    return at


def _library() -> Any:
    try:
        import rfc3161_client
    except ImportError as error:
        raise MissingExtraError("time stamps", "rfc3161-client", "stamp") from error
    return rfc3161_client
