"""Wrapped documents: genuine lxml trees whose every change becomes an event.

Read `shadow.shadow` (what events have reported of each node), `calls.lxml_methods` (which calls are seen),
`calls.edits` and `shadow.mutations` (how a change becomes events), `emitter` and `delivery` (what becomes of these),
`doubt` (what an interrupt cut short), `shadow.comparison` and `shadow.outside_proxies` (what nobody has seen),
`transactions`; `acting` has action rules, `opening` is the door, `document` what is behind it.
"""

from .calls.functions import cleanup_namespaces as cleanup_namespaces
from .calls.functions import indent as indent
from .calls.functions import strip_attributes as strip_attributes
from .calls.functions import strip_elements as strip_elements
from .calls.functions import strip_tags as strip_tags
from .calls.functions import validate_with_defaults as validate_with_defaults
from .document import Document as Document
from .errors import CallbackError as CallbackError
from .errors import DocumentError as DocumentError
from .errors import EndlessTriggerError as EndlessTriggerError
from .errors import RefusedError as RefusedError
from .errors import UnseenEditError as UnseenEditError
from .errors import WrapError as WrapError
from .listeners import Listener as Listener
from .opening import fromstring as fromstring
from .opening import parse as parse
from .opening import wrap as wrap
from .transactions import Transaction as Transaction
from .transactions import TransactionError as TransactionError

__all__ = [
    "CallbackError",
    "Document",
    "DocumentError",
    "EndlessTriggerError",
    "Listener",
    "RefusedError",
    "Transaction",
    "TransactionError",
    "UnseenEditError",
    "WrapError",
    "cleanup_namespaces",
    "fromstring",
    "indent",
    "parse",
    "strip_attributes",
    "strip_elements",
    "strip_tags",
    "validate_with_defaults",
    "wrap",
]
