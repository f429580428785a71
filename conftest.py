"""What all Python tests share: the programs that they start obey signals."""

import signal


def pytest_configure() -> None:
    """Take signals that pytest was started to ignore, as a background job, nohup and cron do.

    A program under test inherits that, and would rightly go on where its test interrupts it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
