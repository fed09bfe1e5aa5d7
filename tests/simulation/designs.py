"""Designs as text and as settings, for tests."""

from __future__ import annotations

from dataclasses import replace

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.simulation.designs import Costs, Setting, setting_of
from momlint.simulation.steps import Names, Script, read_script

#: Without chance: every hop takes its latency and no more.
EVEN = Costs(jitter=0.0)


def setting(text: str, costs: Costs = EVEN) -> Setting:
    """The design of an estate given as text."""
    (loaded,) = open_bytes(text.encode(), "sites.yaml", Access(None), lambda _: None).estates
    return setting_of(loaded, costs)


def script(text: str, of: Setting) -> Script:
    """A script for it."""
    return read_script(text, Names([client.name for client in of.clients], of.brokers))


def with_policy(of: Setting, **changes: object) -> Setting:
    """The setting with another policy."""
    return replace(of, policy=replace(of.policy, **changes))
