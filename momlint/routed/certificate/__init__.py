"""Certificates: why a pass is one, in a form that a small independent program can check.

    certify(loaded, overlay, folder) -> Certified    potentials of an estate that passes, as one line of text
    write(records) -> str                            the text of a certificate file
    verify_file(path) -> list[Accepted]              reads a certificate and the files it names; raises `Refused`

What a certificate claims, and why that proves it, stands in `momlint.routed.certificate.verify`; how it is written
down in `momlint.routed.certificate.form`. This module imports neither, so that whoever wants only the checker loads
only the checker.
"""

from __future__ import annotations

__all__: list[str] = []
