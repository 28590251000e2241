"""The one XML parser of the project: no entities, no DTD, no network, no files.

Every XML text is read with it: documents to wrap (`xmlcep.wrapping.parsing`, which opens files and explains what is
refused), snapshots in change logs, and what xmlcep has written itself.
"""

from __future__ import annotations

from lxml import etree


def safe_parser(lookup: etree.ElementClassLookup | None = None, *, huge: bool = False) -> etree.XMLParser:
    """A new parser that keeps comments and processing instructions; ``lookup`` chooses the element classes.

    Entities other than the five of XML are left as they are, never resolved: whoever parses a document refuses those
    that are left. ``huge`` lifts libxml2's limits on depth and text length, for trees that were built by calls and so
    never had them; those on what entities amount to stay.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False,
        attribute_defaults=False, huge_tree=huge, remove_comments=False, remove_pis=False,
    )  # fmt: skip
    if lookup is not None:
        parser.set_element_class_lookup(lookup)
    return parser
