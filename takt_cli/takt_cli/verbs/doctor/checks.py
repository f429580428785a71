"""All checks, by subject."""

from __future__ import annotations

from takt_cli.verbs.doctor import (
    channels,
    cpu,
    interrupts,
    isolation,
    kernel,
    limits,
    memory,
    middleware,
    services,
)
from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Check, Finding, judge

CHECKS: tuple[Check, ...] = (
    *kernel.CHECKS,
    *isolation.CHECKS,
    *cpu.CHECKS,
    *interrupts.CHECKS,
    *limits.CHECKS,
    *memory.CHECKS,
    *services.CHECKS,
    *middleware.CHECKS,
    *channels.CHECKS,
)


def diagnose(look: Examination) -> list[Finding]:
    """Ask all checks."""
    return [judge(check, look) for check in CHECKS]
