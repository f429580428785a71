"""The node `takt_monitor`: diagnostics, /rosout, alarms and statistics, in its own thread.

The monitor's loop passes alarms through a bounded queue, and the state of the processes as an
immutable tuple. It never waits for ROS.
"""

from __future__ import annotations

import importlib
import json
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any

from takt_cli.base.errors import TaktError
from takt_cli.base.printable import printable
from takt_cli.control.statistics import ProcessStatistics
from takt_cli.verbs.monitor.alarm import SetParameter
from takt_cli.verbs.monitor.diagnostics import Diagnostics, Limits, Status, View, alarms_status
from takt_cli.verbs.monitor.series import labelled, metrics, series

MOST_WAITING = 256
OMITTED = "/diagnostics, /rosout, statistics, and the actions publish and set_parameter"
UNWANTED = "--no-ros omits it"
_END_S = 3.0
_QUIET = ("--disable-stdout-logs", "--disable-external-lib-logs")
_DEPTH = 100

Tell = Callable[[bool, str], None]


def start(arguments: Sequence[str], host: str, say: Callable[[str], None]) -> RosSide | str:
    """Start the node, or return the reason why there is none; bad ROS arguments are a TaktError."""
    try:
        rclpy = importlib.import_module("rclpy")
        for name in ("diagnostic_msgs.msg", "std_msgs.msg", "rcl_interfaces.srv"):
            importlib.import_module(name)
    except ImportError as error:
        return f"the Python package {error.name or 'rclpy'} cannot be imported"
    try:
        return RosSide(rclpy, arguments, host, say)
    except Exception as error:  # rclpy has many, and rcl's own
        why = printable(str(error) or type(error).__name__)
        if arguments:
            raise TaktError(f"--ros-args: {why}") from error
        return why


class RosSide:
    """The ROS side of a monitor."""

    def __init__(
        self, rclpy: Any, arguments: Sequence[str], host: str, say: Callable[[str], None]
    ) -> None:
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.signals import SignalHandlerOptions

        self.views: tuple[View, ...] = ()
        self.numbers: tuple[tuple[str, Any], ...] = ()
        self.dropped = 0
        self._host = host
        self._say = say
        self._failed = False
        self._waiting: queue.Queue[Callable[[], None]] = queue.Queue(MOST_WAITING)
        self._stop = threading.Event()
        self._diagnostics = Diagnostics(host)
        self._context = rclpy.Context()
        quiet = ["--ros-args", *_QUIET]
        rclpy.init(
            args=[*arguments, *quiet],
            context=self._context,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        try:
            self.node = rclpy.create_node("takt_monitor", context=self._context)
            self._limits = self._declare()
            self._make()
            self._executor = SingleThreadedExecutor(context=self._context)
            self._executor.add_node(self.node)
        except BaseException:
            self._context.try_shutdown()
            raise
        self._thread = threading.Thread(target=self._spin, name="takt.ros", daemon=True)
        self._thread.start()

    # For the loop.

    def log(self, level: str, words: str) -> None:
        """Write a line to /rosout; `level`: error, warn or info."""
        self._hand_over(lambda: self._log(level, words))

    def publish(self, document: dict[str, Any]) -> None:
        """Publish an alarm."""
        self._hand_over(lambda: self._alarms.publish(self._text(data=json.dumps(document))))

    def set_parameter(self, action: SetParameter, tell: Tell) -> bool:
        """Set a parameter soon; False: too many wait."""
        return self._hand_over(lambda: self._parameters.set(action, tell))

    def close(self) -> None:
        """End the node; if it does not end in time, leave it."""
        self._stop.set()
        self._guard.trigger()
        self._thread.join(_END_S)

    def _hand_over(self, job: Callable[[], None]) -> bool:
        try:
            self._waiting.put_nowait(job)
        except queue.Full:
            self.dropped += 1
            return False
        self._guard.trigger()
        return True

    # In the ROS thread.

    def _declare(self) -> Limits:
        from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor

        def number(name: str, default: float, least: float, most: float, words: str) -> float:
            about = ParameterDescriptor(
                description=words,
                read_only=True,
                floating_point_range=[FloatingPointRange(from_value=least, to_value=most)],
            )
            return self.node.declare_parameter(name, default, about).value

        words = "Seconds between two messages on /diagnostics"
        self._period_s = number("diagnostic_updater.period", 1.0, 0.1, 3600.0, words)
        flag = ParameterDescriptor(description="Use the full name of the node", read_only=True)
        full = self.node.declare_parameter("diagnostic_updater.use_fqn", False, flag).value
        node = self.node
        self._name = node.get_fully_qualified_name() if full else node.get_name()
        words = "Seconds over which missed deadlines are counted"
        window_s = number("misses.window", 10.0, 1.0, 600.0, words)
        words = "A larger part of missed activations in the window is a {}"
        return Limits(
            window_s=window_s,
            warn_ratio=number("misses.threshold.warn", 0.0, 0.0, 1.0, words.format("warning")),
            error_ratio=number("misses.threshold.error", 0.1, 0.0, 1.0, words.format("error")),
        )

    def _make(self) -> None:
        from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
        from rclpy.clock import Clock, ClockType
        from std_msgs.msg import Float64MultiArray, MultiArrayDimension, String

        from takt_cli.verbs.monitor.ros_parameters import Parameters

        node = self.node
        self._array, self._status, self._pair = DiagnosticArray, DiagnosticStatus, KeyValue
        self._text, self._numbers = String, (Float64MultiArray, MultiArrayDimension)
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 1)
        self._alarms = node.create_publisher(String, "~/alarms", _DEPTH)
        self._pal = self._pal_publishers()
        self._plot = (
            None if self._pal else node.create_publisher(Float64MultiArray, "~/statistics", 1)
        )
        self._metrics = self._metrics_publisher()
        self._version = 0
        self._names: list[str] = []
        self._parameters = Parameters(node)
        self._guard = node.create_guard_condition(self._work)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(self._period_s, self._tick, clock=steady)

    def _pal_publishers(self) -> tuple[Any, ...] | None:
        try:
            msgs = importlib.import_module("pal_statistics_msgs.msg")
        except ImportError:
            return None
        create = self.node.create_publisher
        names = create(msgs.StatisticsNames, "~/statistics/names", 1)
        return msgs, names, create(msgs.StatisticsValues, "~/statistics/values", 1)

    def _metrics_publisher(self) -> tuple[Any, Any] | None:
        try:
            msgs = importlib.import_module("statistics_msgs.msg")
        except ImportError:
            return None
        return msgs, self.node.create_publisher(msgs.MetricsMessage, "/statistics", 10)

    def _spin(self) -> None:
        while not self._stop.is_set():
            try:
                self._executor.spin_once(timeout_sec=0.5)
            except Exception as error:  # one bad message must not end the node
                if not self._failed:
                    self._failed = True
                    self._say(f"ROS: {printable(str(error) or type(error).__name__)}")
        self._executor.shutdown(timeout_sec=0)
        self.node.destroy_node()
        self._context.try_shutdown()

    def _work(self) -> None:
        for _ in range(MOST_WAITING):
            try:
                job = self._waiting.get_nowait()
            except queue.Empty:
                return
            job()

    def _log(self, level: str, words: str) -> None:
        logger = self.node.get_logger()
        # rclpy needs a separate line for each level.
        if level == "error":
            logger.error(words)
        elif level == "warn":
            logger.warning(words)
        else:
            logger.info(words)

    def _tick(self) -> None:
        views = self.views
        stamp = self.node.get_clock().now()
        numbers = (*self.numbers, ("dropped for ROS", self.dropped))
        found = [alarms_status(views, numbers, self._name, self._host)]
        found += self._diagnostics.statuses(views, self._limits)
        message = self._array(status=[self._message(one) for one in found])
        message.header.stamp = stamp.to_msg()
        self._publisher.publish(message)
        if self._plot is not None and self._plot.get_subscription_count() > 0:
            self._plot.publish(labelled(*series(views), *self._numbers))
        if self._pal is not None:
            self._publish_pal(views, message.header)
        if self._metrics is not None:
            msgs, publisher = self._metrics
            if publisher.get_subscription_count() > 0:
                self._publish_metrics(msgs, publisher, views, stamp)

    def _message(self, status: Status) -> Any:
        return self._status(
            level=bytes([status.level]),
            name=status.name,
            message=status.message,
            hardware_id=status.hardware_id,
            values=[self._pair(key=key, value=value) for key, value in status.values],
        )

    def _publish_pal(self, views: Sequence[View], header: Any) -> None:
        assert self._pal is not None
        msgs, to_names, to_values = self._pal
        if to_names.get_subscription_count() + to_values.get_subscription_count() == 0:
            return
        names, values = series(views)
        if names != self._names:
            self._version, self._names = self._version + 1, names
        version = self._version
        to_names.publish(msgs.StatisticsNames(header=header, names=names, names_version=version))
        to_values.publish(
            msgs.StatisticsValues(header=header, values=values, names_version=version)
        )

    def _publish_metrics(
        self, msgs: Any, publisher: Any, views: Sequence[View], stamp: Any
    ) -> None:
        from rclpy.duration import Duration

        def since(figures: ProcessStatistics) -> Any:
            span = Duration(nanoseconds=max(0, figures.time_ns - figures.since_ns))
            return (stamp - min(span, Duration(nanoseconds=stamp.nanoseconds))).to_msg()

        made = metrics(views, stamp.to_msg(), since, msgs.MetricsMessage, msgs.StatisticDataPoint)
        for one in made:
            publisher.publish(one)
