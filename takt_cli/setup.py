"""Packaging of the takt command for ROS 2 (ament_python)."""

from setuptools import find_packages, setup

setup(
    name="takt_cli",
    version="0.1.0",
    description="The takt command: real-time execution for ROS 2",
    license="Apache-2.0",
    packages=find_packages(include=["takt_cli", "takt_cli.*"]),
    package_data={
        "": ["assets/*", "help/*", "schemas/*"],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/takt_cli"]),
        ("share/takt_cli", ["package.xml"]),
        # On PATH once the workspace is sourced; `scripts` below is for `ros2 run`.
        ("bin", ["scripts/takt"]),
    ],
    # No entry point: one needs the workspace sourced before it can say that it is not.
    scripts=["scripts/takt"],
    # Loaded by launch and by ros2cli, where these are installed.
    entry_points={
        "launch.frontend.launch_extension": ["takt_cli = takt_cli.launch"],
        "ros2cli.command": ["takt = takt_cli.ros2_command:TaktCommand"],
    },
    zip_safe=False,
)
