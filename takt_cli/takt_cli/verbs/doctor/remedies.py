"""Commands and files that several findings name."""

from __future__ import annotations


def boot_options(*options: str) -> str:
    """Say how to give the kernel options at its start."""
    return (
        f"add `{' '.join(options)}` to GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, run "
        "`sudo update-grub` and reboot"
    )


def set_file(path: str, value: object) -> str:
    """Say how to write one of the kernel's files."""
    return f"`echo {value} | sudo tee {path}`"


def set_sysctl(name: str, value: object) -> str:
    """Say how to set a value of the kernel, now and at each start."""
    return (
        f"`sudo sysctl {name}={value}`; write the line `{name}={value}` into "
        "/etc/sysctl.d/60-takt.conf to keep it after a reboot"
    )


FIX = "`takt doctor --fix` as root"
