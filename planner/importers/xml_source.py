"""XML of unknown origin: no entities, no document types, bounded depth and size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import ParseError

from planner.importers.source import Source

MAX_DEPTH = 60
MAX_ELEMENTS = 200_000


@dataclass(slots=True)
class Element:
    """An element with its attributes and children; text is not kept."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)

    def get(self, name: str) -> str:
        """Return an attribute, empty if absent."""
        return self.attributes.get(name, "")

    def walk(self) -> Iterator[Element]:
        """Yield this element and all inside it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


class _TooMuchError(Exception):
    """The tree is deeper or larger than any dump."""


class _Builder:
    """Builds the tree while it is parsed, and stops before it grows out of hand."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> Element:
        """Open an element."""
        self.count += 1
        if len(self.open) >= MAX_DEPTH:
            raise _TooMuchError(f"nested deeper than {MAX_DEPTH} levels")
        if self.count > MAX_ELEMENTS:
            raise _TooMuchError(f"has more than {MAX_ELEMENTS:,} elements")
        element = Element(tag, dict(attributes))
        if self.open:
            self.open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self.open.append(element)
        return element

    def end(self, tag: str) -> None:
        """Close an element."""
        del tag
        self.open.pop()

    def data(self, text: str) -> None:
        """Pass over text."""

    def comment(self, text: str) -> None:
        """Pass over a comment."""

    def close(self) -> Element | None:
        """Return the root."""
        return self.root


def parse_xml(source: Source) -> Element:
    """Return the root of an XML document.

    Raises
    ------
    InputError
        If it is no XML, declares entities or a document type, or is too deep or too large.
    """
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    # a declared encoding no longer holds once the file is text
    text = source.text.lstrip("\ufeff \t\r\n")
    if text.startswith("<?xml"):
        text = text[text.find("?>") + 2 :] if "?>" in text[:500] else text
    builder = _Builder()
    parser = DefusedXMLParser(target=builder, forbid_dtd=True)
    try:
        parser.feed(text.encode("utf-8", "replace"))
        parser.close()
    except DefusedXmlException:
        raise source.refuse("declares a document type or entities", "remove them") from None
    except _TooMuchError as error:
        raise source.refuse(str(error)) from None
    except (ParseError, ValueError, AssertionError) as error:
        raise source.refuse(f"is no XML: {str(error)[:150]}") from None
    if builder.root is None:
        raise source.refuse("is no XML: it has no element")
    return builder.root
