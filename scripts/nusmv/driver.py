"""NuSMV's own command line, out of the library in pynusmv's wheel.

The wheel is for CPython 3.6, but the library in it, ``lib/libdependencies.so``, is NuSMV 2.5.4 as plain C and needs
no Python; this makes the calls of NuSMV's main function. Options, output and exit code are NuSMV's. ``install.py``
copies this file beside the library as an executable named ``NuSMV``.
"""

import ctypes
import os
import resource
import sys

#: Bytes of stack: NuSMV walks expressions by recursion, and a long `case` overflows the usual 8 MiB.
STACK = 4 << 30


def raise_stack_limit() -> None:
    """Start again with a larger stack, where the limit allows one: the kernel lays it out at the start only."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = STACK if hard == resource.RLIM_INFINITY else min(STACK, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted and "MOMLINT_NUSMV_STACK" not in os.environ:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
        # The variable keeps a system that does not honour the limit from starting again for ever.
        os.environ["MOMLINT_NUSMV_STACK"] = "raised"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def main() -> int:
    """Run NuSMV with this process's arguments; its exit code."""
    here = os.path.dirname(os.path.realpath(__file__))
    nusmv = ctypes.CDLL(os.path.join(here, "pynusmv", "lib", "libdependencies.so"))
    address = ctypes.c_void_p
    addons = (address * 2)(
        ctypes.cast(nusmv.AddonsCore_Init, address).value, ctypes.cast(nusmv.AddonsCore_Quit, address).value
    )
    nusmv.NuSMVCore_main.restype = ctypes.c_bool
    nusmv.NuSMVCore_init_data()
    nusmv.NuSMVCore_init(addons, 1)
    nusmv.NuSMVCore_init_cmd_options()
    words = [b"NuSMV", *map(os.fsencode, sys.argv[1:])]
    status = ctypes.c_int(0)
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    if nusmv.NuSMVCore_main(len(words), argv, ctypes.byref(status)):
        nusmv.NuSMVCore_quit()
    ctypes.CDLL(None).fflush(None)
    return status.value


if __name__ == "__main__":
    raise_stack_limit()
    # The library's own exit handlers have nothing left to clean up, and Python's would only cost time.
    os._exit(main() & 0xFF)
