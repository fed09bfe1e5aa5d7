"""Where the parts of `sites`, `delivery` and `clients` stand in their document."""

from __future__ import annotations

from momlint.findings import Place


def site(document: int, name: str) -> Place:
    """A site."""
    return Place(document, ("sites", name))


def delivery(document: int) -> Place:
    """The section `delivery`."""
    return Place(document, ("delivery",))


def client(document: int, name: str) -> Place:
    """A client."""
    return Place(document, ("clients", name))


def entry(of: Place, name: str) -> Place:
    """The entry `name` of the mapping at `of`: a site's parent, what a client publishes."""
    return Place(of.document, (*of.path, name))


def value(of: Place, name: str) -> Place:
    """The value of the entry `name` of the mapping at `of`."""
    return Place(of.document, (*of.path, name), "value")


def item(of: Place, name: str, index: int) -> Place:
    """An item of the list `name` of the mapping at `of`."""
    return Place(of.document, (*of.path, name, index))
