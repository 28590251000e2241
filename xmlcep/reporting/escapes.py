"""Text for people: what cannot be seen, or turns the direction of writing, is shown as an escape (rule Y7)."""

from __future__ import annotations

import json
import re

# Controls, marks of direction, and what has no width: a text must not look like another one.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """The text with everything escaped that cannot be seen.

    >>> print(visible("a\\u202eb\\n"))
    a\\u202eb\\n
    """
    return _UNSEEN.sub(lambda match: ascii(match.group())[1:-1], text)


def embedded(value: object) -> str:
    """A value as JSON that can be in a script element: nothing in it ends that, or begins a comment.

    >>> print(embedded("</script><!--"))
    "\\u003c/script\\u003e\\u003c!--"
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
