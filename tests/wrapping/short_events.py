"""What edits of wrapped documents tell, as short text."""

from __future__ import annotations

from xmlcep.wrapping import Document

X = '<r k="1" l="2">0<a>x</a>1<b/>2<!--n-->3<c><d/>y</c></r>'


def told(document: Document) -> list[str]:
    """What is told from now on: operation and path of each event, with a plus where its edit goes on."""
    events: list[str] = []
    document.subscribe(lambda event: events.append(f"{event.op} {event.path}{'+' if event.more else ''}"))
    return events
