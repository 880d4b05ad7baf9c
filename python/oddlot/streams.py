"""Streams from a venue that resume without loss after a lost connection."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass
from typing import Any, AsyncIterator, Literal, Mapping

import websockets

from .channels import PATHS, Channel
from .errors import StreamError

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 15.0
_FRAME_BYTES_MAX = 16 * 2**20


@dataclass(frozen=True)
class Event:
    """A frame of a subscription."""

    channel: str
    #: `resync`: frames were lost, and `data` of the next event replaces the state.
    kind: Literal["data", "resync"]
    data: Any
    #: The number of the frame in its stream.
    seq: int
    #: The block that the data belongs to, on channels that report it.
    height: int | None
    is_snapshot: bool


class Subscription:
    """The events of one subscription, in order. Iterate over it with `async for`."""

    def __init__(self, request: Mapping[str, Any], queue_max: int) -> None:
        self.request = dict(request)
        self._queue: asyncio.Queue[Event | StreamError] = asyncio.Queue(queue_max)
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._epoch: str | None = None
        self._seq = -1
        self._height: int | None = None
        #: Events of the newest block, on a channel with several frames per block.
        self._seen: set[tuple[str, int]] = set()

    async def ready(self) -> None:
        """Returns once the venue has first accepted the subscription."""
        await self._ready

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        event = await self._queue.get()
        if isinstance(event, StreamError):
            raise event
        return event

    def _subscribe_frame(self) -> dict[str, Any]:
        frame: dict[str, Any] = {"method": "subscribe", "subscription": self.request}
        if self._height is not None:
            # The connection may have been lost between two frames of this block.
            back = 1 if self._has_many_frames_per_block() else 0
            frame["resumeFrom"] = {"height": self._height - back}
        elif self._epoch is not None:
            frame["resumeFrom"] = {"epoch": self._epoch, "seq": self._seq}
        return frame

    def _has_many_frames_per_block(self) -> bool:
        return self.request["type"] == "outcomeOrderUpdate"

    def _is_repeated(self, frame: Mapping[str, Any]) -> bool:
        if not self._has_many_frames_per_block():
            return False
        key = (frame["data"]["traceId"], frame["data"]["i"])
        if self._height is not None and frame["height"] > self._height:
            self._seen.clear()
        if key in self._seen:
            return True
        self._seen.add(key)
        return False

    def _accepted(self, data: Mapping[str, Any]) -> None:
        if self._epoch != data["epoch"]:
            self._seq = -1
        self._epoch = data["epoch"]
        if self._seq < 0:
            self._seq = data["seq"]
        if self._height is None:
            self._height = data.get("fromHeight")
        if not self._ready.done():
            self._ready.set_result(None)

    async def _resynced(self, data: Mapping[str, Any]) -> None:
        self._epoch, self._seq = data["epoch"], data["seq"]
        await self._queue.put(
            Event(self.request["type"], "resync", data["reason"], self._seq, None, False)
        )

    async def _received(self, frame: Mapping[str, Any]) -> None:
        if self._is_repeated(frame):
            return
        self._seq = max(self._seq, frame["seq"])
        height = frame.get("height")
        if self._height is not None and height is not None:
            self._height = max(self._height, height)
        is_snapshot = bool(frame.get("isSnapshot"))
        event = Event(
            frame["channel"], "data", frame["data"], frame["seq"], height, is_snapshot
        )
        await self._queue.put(event)

    async def _failed(self, error: StreamError) -> None:
        if not self._ready.done():
            self._ready.set_exception(error)
            # The iterator also raises the error.
            self._ready.exception()
        await self._queue.put(error)


class Streams:
    """
    Subscriptions over one connection per socket. After a lost connection, it resumes after the last frame, so
    that no event is lost or repeated; if the venue no longer has the frames, the subscription gets a `resync` event.

        async with Streams("http://127.0.0.1:8690") as streams:
            async for event in streams.subscribe("trades", coin="1"):
                print(event.data)
    """

    def __init__(self, url: str, *, queue_max: int = 10_000) -> None:
        """If a subscription's events are not read, it stops receiving once `queue_max` events are queued."""
        self._url = url.rstrip("/").replace("http", "ws", 1)
        self._queue_max = queue_max
        self._connections: dict[str, _Connection] = {}

    async def __aenter__(self) -> Streams:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        for connection in self._connections.values():
            await connection.close()
        self._connections.clear()

    def subscribe(self, channel: Channel, **parameters: Any) -> Subscription:
        """Subscribes to a channel. Parameters have the same names as in the API, such as `coin` and `accountType`."""
        path = PATHS[channel]
        connection = self._connections.get(path)
        if connection is None:
            connection = self._connections[path] = _Connection(self._url + path)
        subscription = Subscription({"type": channel, **parameters}, self._queue_max)
        connection.add(subscription)
        return subscription


class _Connection:
    """A socket that is reopened whenever its connection is lost, until it is closed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._subscriptions: list[Subscription] = []
        self._socket: Any = None
        #: Requests without a response, in the order in which the venue answers them.
        self._asked: list[Subscription] = []
        self._by_number: dict[int, Subscription] = {}
        self._task = asyncio.get_running_loop().create_task(self._run())

    def add(self, subscription: Subscription) -> None:
        self._subscriptions.append(subscription)
        if self._socket is not None:
            asyncio.get_running_loop().create_task(self._ask(self._socket, subscription))

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                async with websockets.connect(self._url, max_size=_FRAME_BYTES_MAX) as socket:
                    pause = _FIRST_PAUSE
                    await self._serve(socket)
            except (OSError, asyncio.TimeoutError, websockets.WebSocketException):
                pass
            finally:
                self._socket = None
                self._by_number.clear()
                self._asked.clear()
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _serve(self, socket: Any) -> None:
        # Subscriptions added later are sent by `add`.
        known = list(self._subscriptions)
        self._socket = socket
        for subscription in known:
            await self._ask(socket, subscription)
        async for text in socket:
            await self._take(json.loads(text))

    async def _ask(self, socket: Any, subscription: Subscription) -> None:
        self._asked.append(subscription)
        try:
            await socket.send(json.dumps(subscription._subscribe_frame()))
        except websockets.WebSocketException:
            # The next connection sends the subscription.
            pass

    async def _take(self, frame: Mapping[str, Any]) -> None:
        channel = frame.get("channel")
        if channel == "subscriptionResponse":
            subscription = self._asked.pop(0)
            self._by_number[frame["data"]["sub"]] = subscription
            subscription._accepted(frame["data"])
        elif channel == "resync":
            await self._by_number[frame["data"]["sub"]]._resynced(frame["data"])
        elif channel == "error" or frame.get("type") == "error":
            await self._refused(frame["data"] if channel == "error" else frame)
        elif "sub" in frame:
            await self._by_number[frame["sub"]]._received(frame)

    async def _refused(self, error: Mapping[str, Any]) -> None:
        if "subscription" not in error or not self._asked:
            return
        subscription = self._asked.pop(0)
        if "retryAfterMs" in error:
            await asyncio.sleep(error["retryAfterMs"] / 1000)
            await self._ask(self._socket, subscription)
            return
        self._subscriptions.remove(subscription)
        await subscription._failed(StreamError(error["code"], error["message"]))
