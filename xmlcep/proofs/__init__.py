"""What was in a log, proved: a tree of hashes over its entries, in tiles beside it, under a signed checkpoint.

To read in this order: `hashing` (the tree and its proofs, RFC 9162), `tiles` (where its hashes are kept), `notes`
(signed text and keys), `keys` (keys in files), `checkpoint` (what is signed), `log_tree` (the tree of a log that is
written; that of a log that is read is in `xmlcep.log.tree`), `witness` (who has seen which checkpoint).
"""

from .keys import private_key, public_key
from .log_tree import Signing

__all__ = ["Signing", "private_key", "public_key"]
