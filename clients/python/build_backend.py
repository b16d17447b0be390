"""Builds the wheel and the source archive of this package (PEP 517) with the standard library alone.

What it reads of `pyproject.toml` is flat, since Python has a parser of TOML from 3.11 on only.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

HERE = Path(__file__).resolve().parent
PACKAGE = "sextant_client"
# Every archive has the same bytes for the same files, and the wheel those of `scripts/build-clients.ts`.
EPOCH = (1980, 1, 1, 0, 0, 0)


def _project() -> Dict[str, str]:
    text = (HERE / "pyproject.toml").read_text("utf-8").split("[project]", 1)[1]
    return dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.MULTILINE))


def _metadata() -> str:
    project = _project()
    head = {
        "Metadata-Version": "2.1",
        "Name": project["name"],
        "Version": project["version"],
        "Summary": project["description"],
        "License": "MIT",
        "Requires-Python": project["requires-python"],
        "Classifier": "Typing :: Typed",
        "Description-Content-Type": "text/markdown",
    }
    lines = "".join(f"{name}: {value}\n" for name, value in head.items())
    return f"{lines}\n{(HERE / 'README.md').read_text('utf-8')}"


def _stem() -> str:
    project = _project()
    return f"{project['name'].replace('-', '_')}-{project['version']}"


def _sources() -> Dict[str, bytes]:
    files = [path for path in sorted((HERE / PACKAGE).iterdir()) if path.suffix == ".py" or path.name == "py.typed"]
    return {f"{PACKAGE}/{path.name}": path.read_bytes() for path in files}


def build_wheel(
    wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes the wheel; its file name."""
    info = f"{_stem()}.dist-info"
    files = {
        **_sources(),
        f"{info}/METADATA": _metadata().encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{_stem()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    return name


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    """Writes the source archive; its file name."""
    own = ("pyproject.toml", "README.md", "build_backend.py")
    files = {**{name: (HERE / name).read_bytes() for name in own}, **_sources(), "PKG-INFO": _metadata().encode()}
    name = f"{_stem()}.tar.gz"
    with tarfile.open(Path(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"{_stem()}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return name


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
