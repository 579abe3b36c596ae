"""Database servers that tests start for themselves: on a free port, as an ordinary user."""

from __future__ import annotations

import atexit
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

__all__ = ["PASSWORD", "Server", "mysql", "postgres"]

PASSWORD = "s3cret/of@tests"
_ENCODED = "s3cret%2Fof%40tests"


class Server:
    """A running server; `make` gives a new database in it."""

    def __init__(self, kind: str, port: int, user: str, run: Callable[[str, Sequence[str]], None]) -> None:
        self.kind, self.port, self.user, self._run = kind, port, user, run
        self._made = 0
        self._holds: dict[str, tuple[str, ...]] = {}

    def url(self, database: str, user: str | None = None, password: str = _ENCODED) -> str:
        """The URL of a database, with its password."""
        return f"{self.kind}://{user or self.user}:{password}@127.0.0.1:{self.port}/{database}"

    def shown(self, database: str) -> str:
        """The URL without its password."""
        return f"{self.kind}://{self.user}@127.0.0.1:{self.port}/{database}"

    def make(self, statements: Sequence[str], name: str | None = None) -> str:
        """The URL of a database made by the statements; another one of that name is replaced."""
        self._made += 1
        name = name or f"made{self._made}"
        if self._holds.get(name) == tuple(statements):
            return self.url(name)
        self._holds[name] = tuple(statements)
        quoted = f"`{name}`" if self.kind == "mysql" else f'"{name}"'
        self._run("", [f"DROP DATABASE IF EXISTS {quoted}", f"CREATE DATABASE {quoted}"])
        self._run(name, statements)
        return self.url(name)

    def run(self, database: str, *statements: str) -> None:
        """Runs statements as the administrator."""
        self._run(database, statements)


@cache
def postgres() -> Server:
    """A PostgreSQL server; skips the test where there is none to start, or no driver."""
    psycopg = pytest.importorskip("psycopg", reason="needs psycopg: pip install 'sqlore[postgres]'")
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    initdb = shutil.which("initdb") or (found[-1] if found else None)
    if initdb is None:
        pytest.skip("needs a PostgreSQL server: initdb was not found")
    folder, port = _folder("postgres"), _free_port()
    word = folder / "word"
    word.write_text(PASSWORD + "\n")
    _give(word, "postgres")
    data = folder / "data"
    subprocess.run(
        [*_as("postgres"), initdb, "-D", str(data), "-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8",
         "--locale=C", "-N", f"--pwfile={word}"], check=True, capture_output=True,
    )  # fmt: skip
    hba = data / "pg_hba.conf"
    only_with_tls = "hostssl all tls_only all scram-sha-256\nhost all tls_only all reject\n"
    hba.write_text(only_with_tls + hba.read_text())
    folder_of_modules = Path(initdb).resolve().parent.parent / "lib"
    settings = [
        "listen_addresses=127.0.0.1", f"port={port}", "unix_socket_directories=", "fsync=off",
        "max_connections=60", "shared_buffers=16MB",
    ]  # fmt: skip
    if (folder_of_modules / "pg_stat_statements.so").exists():
        settings.append("shared_preload_libraries=pg_stat_statements")
    options = [part for one in settings for part in ("-c", one)]
    _keep(
        [*_as("postgres"), str(Path(initdb).with_name("postgres")), "-D", str(data), *options], signal.SIGQUIT
    )
    address = {"host": "127.0.0.1", "port": port, "user": "postgres", "password": PASSWORD}

    def run(database: str, statements: Sequence[str]) -> None:
        with psycopg.connect(**address, dbname=database or "postgres", autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    _wait(lambda: run("", ["SELECT 1"]), psycopg.OperationalError)
    return Server("postgresql", port, "postgres", run)


@cache
def mysql() -> Server:
    """A MariaDB server; skips the test where there is none to start, or no driver."""
    pymysql = pytest.importorskip("pymysql", reason="needs pymysql: pip install 'sqlore[mysql]'")
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    daemon, install = shutil.which("mariadbd", path=path), shutil.which("mariadb-install-db", path=path)
    if daemon is None or install is None:
        pytest.skip("needs a MariaDB server: mariadbd was not found")
    folder, port = _folder("mysql"), _free_port()
    data, sock = folder / "data", folder / "sock"
    subprocess.run(
        [*_as("mysql"), install, "--no-defaults", f"--datadir={data}", "--skip-test-db",
         "--auth-root-authentication-method=normal"], check=True, capture_output=True,
    )  # fmt: skip
    _keep(
        [*_as("mysql"), daemon, "--no-defaults", f"--datadir={data}", f"--socket={sock}", f"--port={port}",
         "--bind-address=127.0.0.1", f"--pid-file={folder / 'pid'}", "--innodb-flush-log-at-trx-commit=0",
         "--skip-name-resolve", "--performance-schema=ON", "--innodb-buffer-pool-size=32M"], signal.SIGTERM,
    )  # fmt: skip

    def run(database: str, statements: Sequence[str]) -> None:
        connection = pymysql.connect(
            user="root", unix_socket=str(sock), database=database or None, autocommit=True
        )
        try:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
        finally:
            connection.close()

    _wait(lambda: run("", ["SELECT 1"]), pymysql.Error)
    run("", [f"CREATE USER ann@'%' IDENTIFIED BY '{PASSWORD}'", "GRANT ALL ON *.* TO ann@'%'"])
    return Server("mysql", port, "ann", run)


# ------------------------------------------------------------------ processes


def _owner(user: str) -> pwd.struct_passwd | None:
    """Whom a server runs as: servers refuse to run as root. None: as whoever runs the tests."""
    if os.geteuid() != 0:
        return None
    for name in (user, "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("needs an ordinary user to run a server as")


def _as(user: str) -> list[str]:
    """What a command begins with so that it runs as that user, and ends with the tests."""
    owner, tool = _owner(user), shutil.which("setpriv")
    if tool is None:
        if owner is not None:
            pytest.skip("needs setpriv to start a server as an ordinary user")
        return []
    who = [f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"] if owner else []
    return [tool, *who, "--pdeathsig", "TERM"]


def _give(path: Path, user: str) -> None:
    owner = _owner(user)
    if owner is not None:
        os.chown(path, owner.pw_uid, owner.pw_gid)


def _folder(user: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"sqlore-{user}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    _give(folder, user)
    return folder


def _keep(command: list[str], how: signal.Signals) -> None:
    """Runs a server until the tests end."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )

    def end() -> None:
        process.send_signal(how)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()

    atexit.register(end)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(ready: Callable[[], Any], error: type[Exception]) -> None:
    """Until the server answers."""
    for _ in range(300):
        try:
            ready()
        except error:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the database server that the tests started does not answer")
