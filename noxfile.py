"""The tasks of this repository. ``nox -l`` lists them; plain ``nox`` checks everything.

Environments are kept and reused. A stamp in each says what was installed, so that a
session installs again when, and only when, the dependencies have changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.10.14"
# The same environments on every machine, whether it has uv or not.
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_existing_virtualenvs = True
# tests-3.x runs where that Python is, and is skipped elsewhere.
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["codegen", "tests", "lint", "typecheck"]

ROOT = Path(__file__).parent
PYPROJECT = nox.project.load_toml(ROOT / "pyproject.toml")

#: The PyTorch that tables, schemas and generated signatures are held against.
TORCH = "torch==2.13.0"
#: What drives a browser, and the packages of Debian that bring one.
SELENIUM = "selenium>=4.25"
CHROMIUM = ("chromium", "chromium-driver")
#: What PyTorch imports for the samples that its functions are tested on.
ORACLE = ("expecttest",)
#: Dispatchers and transforms that the benchmarks compare with.
PEERS = ("autograd", "autoray", "jax", "multipledispatch", "ovld", "plum-dispatch")
#: Tests of one file share what it sets up, and run one after the other.
ALL_CORES = ("-n", "auto", "--dist", "loadfile")
#: Python outside of the packages.
SCRIPTS = ("benchmarks", "examples", "tests", "noxfile.py")

NEXT = """
Generated operators are in generated/, and nothing there is edited by hand. Try next:

    {python} -c "import numpy as np, keyslot; print(keyslot.ops.mul(np.eye(2), 3))"
    nox -s tests    # run the tests
    nox -s dev      # make .venv, an environment to work in
"""


@nox.session
def codegen(session: nox.Session) -> None:
    """Generate operators from schemas/; `-- --check` finds what is stale or wrong."""
    _install(session, "-e", ".[codegen,numpy]")
    session.run("keyslot", "codegen", *session.posargs)
    if "--check" in session.posargs:
        session.run("keyslot", "check", "--unused", "--backend", "NumPy")
    else:
        print(NEXT.format(python=os.path.relpath(_python(session.bin), ROOT)))


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, on this Python or the one named; `-- ARGUMENTS` go to pytest."""
    _install(session, "-e", ".[test]")
    session.run("pytest", *(session.posargs or ALL_CORES))


for _version in nox.project.python_versions(PYPROJECT):
    nox.session(
        name=f"tests-{_version}",
        python=_version,
        default=False,
        download_python="never",
    )(tests)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format of everything, generated code too; `-- --fix` repairs."""
    _install(session, *_requirements("black", "ruff"))
    fix = "--fix" in session.posargs
    session.run("ruff", "check", *(["--fix"] if fix else []), ".")
    session.run("black", "--quiet", *([] if fix else ["--check", "--diff"]), ".")


@nox.session
def typecheck(session: nox.Session) -> None:
    """Check types with mypy and pyright, both strict."""
    _install(session, "-e", ".[dev]")
    _link_typings()
    session.run("mypy")
    session.run("mypy", *(name for name in SCRIPTS if _has_python(ROOT / name)))
    session.run("pyright", "--warnings")
    # What they say of calls that are wrong on purpose, and of packages made by tests.
    session.run("pytest", "tests/test_typing.py", "tests/test_codegen_generated.py")


@nox.session(default=False)
def oracle(session: nox.Session) -> None:
    """Hold keyslot against PyTorch itself; `-- ARGUMENTS` go to pytest."""
    _install(session, "-e", ".[test]", TORCH, *ORACLE, *_requirements("mypy"))
    session.run("pytest", *(session.posargs or ["tests/oracle"]))


@nox.session(default=False)
def browser(session: nox.Session) -> None:
    """Try the pages that keyslot writes in Chromium; `-- ARGUMENTS` go to pytest."""
    _need_chromium(session)
    _install(session, "-e", ".[test]", SELENIUM)
    # Where this is set, tests fail that would be skipped for want of a browser.
    env = {"KEYSLOT_NEEDS_BROWSER": "1"}
    session.run("pytest", *(session.posargs or ["tests/browser"]), env=env)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Compare speed and memory with peers; `-- --smoke` only shows that it runs."""
    _install(session, "-e", ".[codegen,transforms]", TORCH, *PEERS)
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Write the reference of the operators to build/docs, their examples run."""
    _install(session, "-e", ".[codegen,numpy]")
    session.run("keyslot", "docs", *session.posargs)


@nox.session(default=False)
def wheel(session: nox.Session) -> None:
    """Build the sdist and from it the wheel; test what they install."""
    _install(session, "build", *_requirements("pytest", "hypothesis", "nox"))
    dist = Path(session.create_tmp())
    for old in dist.glob("keyslot-*"):
        old.unlink()
    session.run("python", "-m", "build", "--outdir", str(dist), ".", silent=True)
    (built,) = dist.glob("keyslot-*.whl")
    # Installed over and over under one version number: only force replaces it.
    session.install(f"{built}[codegen,transforms]")
    session.install("--force-reinstall", "--no-deps", str(built))
    session.run("pytest", "tests/test_packaging.py", "tests/test_docs.py")
    _start_project(session, dist)


def _start_project(session: nox.Session, dist: Path) -> None:
    """Start a project with the wheel, as its users do; generate and test by nox."""
    folder = dist / "new-project"
    shutil.rmtree(folder, ignore_errors=True)
    session.run("keyslot", "new", str(folder))
    # Its environments get keyslot from the wheel, which no index has.
    find = {"PIP_FIND_LINKS": dist.resolve().as_uri()}
    tasks = ["--noxfile", str(folder / "noxfile.py"), "-s", "codegen", "tests"]
    session.run("nox", *tasks, env=find)


@nox.session(default=False, venv_backend="none")
def dev(session: nox.Session) -> None:
    """Make or update .venv: keyslot, editable, with every tool."""
    environment = ROOT / ".venv"
    session.run(sys.executable, "-m", "virtualenv", "--quiet", str(environment))
    python = _python(str(environment / ("Scripts" if os.name == "nt" else "bin")))
    session.run(python, "-m", "pip", "install", "-e", ".[dev]", silent=True)
    _link_typings()
    session.log("in .venv: keyslot, pytest, ruff, black, mypy, pyright, nox")


def _install(session: nox.Session, *requirements: str) -> None:
    """Install what a session needs, unless its environment already has just that."""
    stamp = Path(session.virtualenv.location) / "keyslot-installed"
    # pyproject.toml names the dependencies, and an editable install the folder.
    wanted = hashlib.sha256(
        "\n".join(
            [*requirements, str(ROOT), (ROOT / "pyproject.toml").read_text("utf-8")]
        ).encode()
    ).hexdigest()
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return
    stamp.unlink(missing_ok=True)
    session.install(*requirements)
    stamp.write_text(wanted, "utf-8")


def _need_chromium(session: nox.Session) -> None:
    """Install Chromium and its driver where they are missing and that can be done."""
    if shutil.which("chromedriver"):
        return
    if not shutil.which("apt-get") or os.geteuid() != 0:
        session.error(
            "this needs Chromium and chromedriver on PATH; only on Debian, as root, are"
            " they installed here"
        )
    session.run("apt-get", "update", external=True, silent=True)
    install = ("apt-get", "install", "--yes", "--no-install-recommends", *CHROMIUM)
    session.run(*install, external=True, silent=True)


def _requirements(*names: str) -> list[str]:
    """Return how pyproject.toml asks for these distributions."""
    extras = PYPROJECT["project"]["optional-dependencies"].values()
    lines = [line for extra in extras for line in extra]
    return [line for line in lines if line.startswith(names)]


def _python(folder: str) -> str:
    """Return the path of the interpreter in an environment's folder of programs."""
    return os.path.join(folder, "python.exe" if os.name == "nt" else "python")


def _has_python(path: Path) -> bool:
    """Whether mypy would find anything there; it fails on an empty folder."""
    return path.is_file() or any(path.rglob("*.py"))


def _link_typings() -> None:
    """Lay .typings/keyslot: links that show type checkers the packages as installed."""
    packages = ROOT / ".typings" / "keyslot"
    packages.mkdir(parents=True, exist_ok=True)
    folders: dict[str, str] = PYPROJECT["tool"]["setuptools"]["package-dir"]
    links = {
        name.removeprefix("keyslot."): folder
        for name, folder in folders.items()
        if name != "keyslot"
    }
    own = ROOT / folders["keyslot"]
    links |= {
        file.name: f"{folders['keyslot']}/{file.name}" for file in own.glob("*.py")
    }
    for old in packages.iterdir():
        if old.is_symlink() and old.name not in links:
            old.unlink()
    for name, target in links.items():
        link = packages / name
        if not link.is_symlink():
            link.symlink_to(Path("..", "..", target))
