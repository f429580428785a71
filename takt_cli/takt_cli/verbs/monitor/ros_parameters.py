"""The action `set_parameter`: calls the service of the node that has the parameter.

Runs in the ROS thread; a timer checks the calls, so the thread never waits.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from takt_cli.base.printable import printable
from takt_cli.verbs.monitor.alarm import SetParameter

TIMEOUT_S = 5.0
MOST_PENDING = 64
_MOST_CLIENTS = 32
_POLL_S = 0.05

Tell = Callable[[bool, str], None]


@dataclass
class _Call:
    action: SetParameter
    value: Any
    tell: Tell
    client: Any
    until: float
    answer: Any = None  # a future, once the service exists


class Parameters:
    """Sets parameters of other nodes."""

    def __init__(self, node: Any) -> None:
        from rclpy.clock import Clock, ClockType

        self._node = node
        self._clients: OrderedDict[str, Any] = OrderedDict()
        self._calls: list[_Call] = []
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(_POLL_S, self._look, clock=clock)
        self._timer.cancel()

    def set(self, action: SetParameter, tell: Tell) -> None:
        """Begin to set a parameter."""
        if len(self._calls) >= MOST_PENDING:
            tell(False, f"not set: {MOST_PENDING} others wait already")
            return
        try:
            client = self._client(action.node)
        except Exception as error:  # a bad name
            tell(False, f"not set: {printable(str(error))}")
            return
        value = list(action.value) if isinstance(action.value, tuple) else action.value
        until = time.monotonic() + TIMEOUT_S
        self._calls.append(_Call(action, value, tell, client, until))
        self._timer.reset()
        self._look()

    def _client(self, node: str) -> Any:
        from rcl_interfaces.srv import SetParameters

        name = f"/{node.strip('/')}/set_parameters"
        if name in self._clients:
            self._clients.move_to_end(name)
            return self._clients[name]
        client = self._node.create_client(SetParameters, name)
        self._clients[name] = client
        if len(self._clients) > _MOST_CLIENTS:
            used = {id(call.client) for call in self._calls}
            for old, one in list(self._clients.items())[:-1]:
                if id(one) not in used:
                    self._node.destroy_client(self._clients.pop(old))
                    break
        return client

    def _look(self) -> None:
        """Advance each call."""
        for call in list(self._calls):
            if self._over(call):
                self._calls.remove(call)
        if not self._calls:
            self._timer.cancel()

    def _over(self, call: _Call) -> bool:
        if call.answer is None and call.client.service_is_ready():
            try:
                call.answer = call.client.call_async(self._request(call))
            except Exception as error:  # a value that no parameter can have
                call.tell(False, f"not set: {printable(str(error))}")
                return True
        if call.answer is not None and call.answer.done():
            return self._answered(call)
        if time.monotonic() < call.until:
            return False
        if call.answer is None:
            call.tell(False, f"not set: no node {call.action.node} with parameter services")
        else:
            call.client.remove_pending_request(call.answer)
            call.tell(False, f"maybe not set: no answer within {TIMEOUT_S:g} s")
        return True

    def _answered(self, call: _Call) -> bool:
        results = call.answer.result().results
        if results and results[0].successful:
            call.tell(True, "set")
            return True
        if isinstance(call.value, int) and not isinstance(call.value, bool):
            # `value: 5` in a schedule may mean a floating-point parameter.
            call.value = float(call.value)
            call.answer = call.client.call_async(self._request(call))
            return False
        reason = printable(results[0].reason) if results else "no result"
        call.tell(False, f"refused by the node: {reason}")
        return True

    @staticmethod
    def _request(call: _Call) -> Any:
        from rcl_interfaces.srv import SetParameters
        from rclpy.parameter import Parameter

        parameter = Parameter(call.action.name, value=call.value)
        return SetParameters.Request(parameters=[parameter.to_parameter_msg()])
