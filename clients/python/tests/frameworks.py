"""Which packages the tests of adapters run on: an installed one, else its stand-in, and says so once."""

from __future__ import annotations

import importlib
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_STANDINS = str(Path(__file__).resolve().parent / "standins")
if _STANDINS not in sys.path:
    # Last, so that an installed package wins.
    sys.path.append(_STANDINS)


@lru_cache(maxsize=None)
def framework(name: str) -> Any:
    """Imports a package, and prints what it is."""
    module = importlib.import_module(name)
    is_standin = str(module.__file__).startswith(_STANDINS)
    try:
        said = "a stand-in" if is_standin else f"version {version(name.replace('_', '-'))}"
    except PackageNotFoundError:
        said = str(module.__file__)
    print(f"{name}: {said}", file=sys.stderr)
    return module


def is_standin(module: Any) -> bool:
    return str(module.__file__).startswith(_STANDINS)
