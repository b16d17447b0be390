"""The package that `build_backend.py` builds."""

import importlib.util
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import build_backend
import sextant_client

HERE = Path(build_backend.__file__).resolve().parent


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_versions_agree(self):
        self.assertEqual(build_backend._project()["version"], sextant_client.__version__)

    def test_the_wheel_holds_every_module_the_mark_of_types_and_a_record_that_is_true(self):
        name = build_backend.build_wheel(str(self.folder))
        with zipfile.ZipFile(self.folder / name) as archive:
            names = archive.namelist()
            record = archive.read(next(each for each in names if each.endswith("/RECORD"))).decode()
            for path, digest, size in re.findall(r"^(.+),sha256=(.+),(\d+)$", record, re.MULTILINE):
                data = archive.read(path)
                self.assertEqual((build_backend._digest(data), len(data)), (digest, int(size)))
        modules = {f"sextant_client/{path.name}" for path in (HERE / "sextant_client").glob("*.py")}
        self.assertLessEqual(modules | {"sextant_client/py.typed"}, set(names))
        self.assertEqual([each for each in names if "test" in each], [])

    def test_the_source_archive_builds_the_same_wheel(self):
        with tarfile.open(self.folder / build_backend.build_sdist(str(self.folder))) as archive:
            for member in archive.getmembers():
                target = self.folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.extractfile(member).read())
            [inner] = {member.name.split("/")[0] for member in archive.getmembers()}
        spec = importlib.util.spec_from_file_location("again", self.folder / inner / "build_backend.py")
        again = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(again)
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        name = build_backend.build_wheel(str(self.folder / "a"))
        self.assertEqual(again.build_wheel(str(self.folder / "b")), name)
        self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes())

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is missing")
    def test_pip_builds_and_installs_it_without_an_index(self):
        target = self.folder / "site"
        source = self.folder / "source"
        with tarfile.open(self.folder / build_backend.build_sdist(str(self.folder))) as archive:
            for member in archive.getmembers():
                path = source / member.name.split("/", 1)[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())
        pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet"]
        subprocess.run([*pip, "--target", target, source], check=True, capture_output=True, timeout=120)
        program = (
            "import importlib.metadata, sextant_client\n"
            "print(sextant_client.__file__, importlib.metadata.version('sextant-client'))"
        )
        done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60,
                              env={"PYTHONPATH": str(target), "PATH": ""}, cwd=self.folder)
        module = str(target / "sextant_client" / "__init__.py")
        self.assertEqual(done.stdout.split(), [module, sextant_client.__version__])
