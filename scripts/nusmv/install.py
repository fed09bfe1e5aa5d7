"""Install NuSMV from pynusmv's wheel into a folder outside the repository.

    python scripts/nusmv/install.py FOLDER

prints the path of an executable ``NuSMV`` in FOLDER, for ``MOMLINT_NUSMV`` or PATH. It downloads 9 MB with pip, needs
no compiler, and does nothing where FOLDER has it already. Linux on x86-64 only, for that is what the wheel is for.
"""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def install(folder: Path) -> Path:
    """Put the wheel's library and the driver into `folder`; the executable's path. Raises `OSError`, or
    `subprocess.CalledProcessError` where pip fails."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise OSError(f"pynusmv has no wheel for {sys.platform} on {platform.machine()}")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "pynusmv"
    if not (target / "lib" / "libdependencies.so").is_file():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        wheel = ["--no-deps", "--only-binary=:all:", "--python-version", "36", "--implementation", "cp"]
        wheel += ["--abi", "cp36m", "--platform", "manylinux1_x86_64", "--require-hashes"]
        wheel += ["--requirement", str(HERE / "requirements.txt")]
        # Into a folder of its own first, so that one that broke off half-way is not taken for the whole.
        partial = folder / "partial"
        shutil.rmtree(partial, ignore_errors=True)
        subprocess.run([*pip, "--target", str(partial), *wheel], check=True, stdout=sys.stderr)
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
    executable = folder / "NuSMV"
    driver = (HERE / "driver.py").read_text(encoding="utf-8")
    executable.write_text(f"#!{sys.executable}\n{driver}", encoding="utf-8")
    executable.chmod(0o755)
    return executable


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} FOLDER")
    try:
        print(install(Path(sys.argv[1]).resolve()))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"NuSMV cannot be installed: {error}; MOMLINT_TEST_WITHOUT_NUSMV=1 does without its tests")
