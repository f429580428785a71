"""Entry of `takt` and `python -m takt_cli`: runs a command, turns errors into sentences."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
import traceback

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # While modules are loaded, takt has started no program: Ctrl-C may end the process at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from takt_cli.base import streams

if __name__ == "__main__":
    streams.prepare()


def _package_is_missing(missing: ModuleNotFoundError) -> int:
    name = (missing.name or "").partition(".")[0]
    sys.stderr.write(
        f"takt: the Python package {name} is missing for {sys.executable}; install it, or use "
        "./takt in takt's repository, which sets up all it needs\n"
    )
    return 2


try:
    from takt_cli.base.console import err
    from takt_cli.base.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, TaktError
    from takt_cli.files.output_directory import drop_unused
    from takt_cli.files.standard_input import drop_standard_input
    from takt_cli.usage import (
        asked_for_help,
        help_text,
        plain_help,
        refuse_empty,
        say_interrupted,
        usage_error,
    )
except ModuleNotFoundError as missing:
    sys.exit(_package_is_missing(missing))


_HELP = ("-h", "--help")
_LONGEST = 200  # characters of a file's name in a sentence
# Wrong input: the command line names a file that takt cannot use here.
_USAGE = frozenset(
    {errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR,
     errno.EISDIR, errno.ELOOP, errno.EINVAL}
)  # fmt: skip


def main() -> None:
    """Run, and exit with the run's code. Tracebacks appear only on request."""
    with contextlib.suppress(Exception):  # `run` reports the failure
        _load()
    # Only while a command runs. During imports, and when the interpreter ends, it causes a
    # traceback.
    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        signals.remove(signal.SIGINT)
    sys.unraisablehook = _repeat_interrupt
    try:
        try:
            # SIGTERM is like Ctrl-C: takt ends programs that it started, and shows their results.
            for number in signals:
                signal.signal(number, signal.default_int_handler)
            code = run()
        finally:
            for number in signals:
                signal.signal(number, signal.SIG_DFL)
    except KeyboardInterrupt:
        code = _interrupted()
    sys.exit(streams.finish(code))


def run(arguments: list[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    try:
        return _call(arguments)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else EXIT_FAILED
    except TaktError as error:
        # Lines are left whole: they may be read by programs.
        words = error.message if error.quoted else f"takt: {error.message}"
        err().print(words, style="red", markup=False, soft_wrap=True)
        if error.hint:
            err().print(error.hint, style="dim", markup=False)
        return error.code
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        return EXIT_FAILED  # the reader of our output has ended
    except OSError as error:
        if os.environ.get("TAKT_DEBUG"):
            traceback.print_exc()
        err().print(f"takt: {_system_error(error)}", style="red", markup=False, soft_wrap=True)
        return EXIT_USAGE if error.filename and error.errno in _USAGE else EXIT_FAILED
    except Exception as error:  # the last resort
        if isinstance(error, ModuleNotFoundError) and not _is_ours(error):
            return _package_is_missing(error)
        if os.environ.get("TAKT_DEBUG"):
            traceback.print_exc()
        err().print(
            f"takt: internal error: {type(error).__name__}: {error}", style="red", markup=False
        )
        err().print("Set TAKT_DEBUG=1 for the traceback.", style="dim")
        return EXIT_FAILED
    finally:
        drop_unused()
        drop_standard_input()


def _is_ours(missing: ModuleNotFoundError) -> bool:
    return (missing.name or "takt_cli").startswith("takt_cli")


def _repeat_interrupt(dropped: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that came during a callback, where Python drops exceptions."""
    if dropped.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(dropped)
        return
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    # A shell starts background jobs with SIGINT ignored.
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    number = signal.SIGTERM if ignored else signal.SIGINT
    while True:
        try:  # after the callback
            threading.Timer(0.05, signal.pthread_kill, (main_thread, number)).start()
            return
        except KeyboardInterrupt:  # Python would drop it again here
            continue


def _interrupted() -> int:
    err().print("takt: interrupted", markup=False)
    return EXIT_INTERRUPTED


def _system_error(error: OSError) -> str:
    if error.filename:
        name = str(error.filename)
        return f"{name if len(name) <= _LONGEST else name[:_LONGEST] + '...'}: {error.strerror}"
    # takt_cli.files.outputs names files, so this is a stream without a name.
    full = "standard output cannot be written: " if error.errno == errno.ENOSPC else ""
    return f"{full}{error.strerror or error}"


def _load() -> None:
    """Load the command that is given; the help of all is a file."""
    if not sys.argv[1:] or sys.argv[1] in _HELP:
        return
    import typer.main  # noqa: F401

    from takt_cli.app import app_for

    app_for(sys.argv[1:])


def _call(arguments: list[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if "_TAKT_COMPLETE" in os.environ and not given:
        from takt_cli.app import app_to_complete
        from takt_cli.verbs.completion.command import answer

        answer(app_to_complete)
    if not given or given[0] in _HELP:
        sys.stdout.write(help_text())
        return 0 if given else EXIT_USAGE
    # Import these here, because help does not need them, and a failing import must not end in a
    # traceback.
    from takt_cli.verbs.exec.command import become
    from takt_cli.verbs.known import program_of
    from takt_cli.verbs.renamed import renew

    given, told = renew(given)
    for sentence in told:
        err().print(f"takt: {sentence}", markup=False, soft_wrap=True)

    if program_of(given[0]):
        become(given)
    from typer.main import get_command

    from takt_cli.app import app_for

    command = get_command(app_for(given))
    refuse_empty(command)
    plain_help(command)
    say_interrupted(command)
    try:
        code = command(args=given, standalone_mode=False, prog_name="takt")
    except Exception as error:
        if asked_for_help(error):
            error.show()
            return EXIT_USAGE
        told = usage_error(error)
        if told is None:
            raise
        raise told from error
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    main()
