"""Rules of users' own, decided in routed overlays: a module for each check that they may bind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from momlint.findings import Draft
    from momlint.policies.form import Policy
    from momlint.routed.diagnosis.context import Context


def find(policy: Policy, context: Context) -> Iterator[Draft]:
    """What breaks the policy in the estate of `context`."""
    match policy.check:
        case "stays-within":
            from momlint.routed.policies import stays_within

            return stays_within.find(policy, context)
        case "survives":
            from momlint.routed.policies import survives

            return survives.find(policy, context)
        case "hops-within":
            from momlint.routed.policies import hops_within

            return hops_within.find(policy, context)
