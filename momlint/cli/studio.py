"""``momlint studio``: an estate in the browser, to be edited."""

from __future__ import annotations

import os

from momlint.cli import exits
from momlint.cli.check import Arguments, prepared
from momlint.cli.console import complain, write
from momlint.errors import UsageError

#: What a file that is not there yet begins with.
_START = "momlint: 1\nname: {name}\nbrokers:\n  a:\nrouting: {{protocol: shortest-path}}\n"


def studio(arguments: Arguments, port: int, *, opens: bool) -> int:
    """Serve the estate that `arguments` name, until Ctrl-C; a file that is not there yet is begun.

    `port`: 0 for one that is free. `opens`: show it in a browser. Raises `UsageError`.
    """
    (path,) = arguments.paths
    is_new = path.endswith((".yaml", ".yml")) and not os.path.lexists(path)
    options, files, failures = prepared(arguments)
    if is_new:
        parent = os.path.dirname(path) or os.curdir
        if not os.path.isdir(parent):
            raise UsageError(f"{path}: there is no folder {parent}")
        files, failures = [path], []
    if failures:
        raise UsageError(failures[0])
    if len(files) != 1:
        raise UsageError(f"{path}: there are several estates here; name one file: {', '.join(files)}")
    (file,) = files
    if not file.endswith((".yaml", ".yml")):
        raise UsageError(f"{file}: the studio edits estates in YAML; `momlint view` draws this")
    try:
        from momlint.studio.server import address, listen, new_token, serve
    except ImportError as error:
        raise UsageError(f"the studio needs {error.name}: pip install 'momlint[studio]'") from error
    from momlint.routed.recovery.quoting import yaml_name
    from momlint.studio.session import Session

    name = os.path.basename(file).partition(".")[0]
    try:
        session = Session(file, options, _START.format(name=yaml_name(name)).encode() if is_new else None)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from error
    try:
        listening = listen(port)
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port {port}: {getattr(error, 'strerror', None) or error}") from error
    token = new_token()
    place = address(listening, token)
    write(f"{place}\n")
    if not arguments.quiet:
        complain("momlint: the studio is at the address above, for this machine only; Ctrl-C ends it")
    if opens:
        import webbrowser

        webbrowser.open(place)
    try:
        serve(session, listening, token)
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
    changed = session.changed()
    if changed:
        complain(f"momlint: note: changes of {', '.join(changed)} were not saved")
    return exits.OK
