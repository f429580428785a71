"""Lists of cores in words, in one spelling everywhere."""

from __future__ import annotations

from collections.abc import Sequence


def cores_words(cores: Sequence[int]) -> str:
    """Write cores in words: 'core 3', 'cores 0-2,5'."""
    return f"{'core' if len(set(cores)) == 1 else 'cores'} {core_list(cores)}"


def cores_are(cores: Sequence[int]) -> str:
    """Begin a sentence on cores: 'core 3 is', 'cores 0-2,5 are'."""
    return f"{cores_words(cores)} {'is' if len(set(cores)) == 1 else 'are'}"


def core_list(cores: Sequence[int]) -> str:
    """Spell cores as the kernel does: '0-2,5'."""
    parts: list[list[int]] = []
    for core in sorted(set(cores)):
        if parts and parts[-1][-1] == core - 1:
            parts[-1][1:] = [core]
        else:
            parts.append([core])
    return ",".join("-".join(map(str, part)) for part in parts)
