"""Estates as text to what the parts of the discipline take."""

from __future__ import annotations

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.pubsub.form import Clients
from momlint.pubsub.read import read


def form_of(text: str) -> Clients:
    """The clients of an estate without faults."""
    (loaded,) = open_bytes(text.encode(), "clients.yaml", Access(None), lambda _: None).estates
    assert loaded.problems == []
    reading = read(loaded)
    assert reading.drafts == []
    assert reading.clients is not None
    return reading.clients
