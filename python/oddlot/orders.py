"""Orders and decimals in the format of the API."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

#: Prices, sizes and amounts. A float is sent as the shortest decimal that represents it.
Amount = str | int | float | Decimal

Tif = Literal["Gtc", "Gtd", "Alo", "Ioc", "FrontendMarket"]
MarginMode = Literal["cross", "isolated"]
AccountType = Literal["perp", "outcome"]


def decimal_text(value: Amount) -> str:
    """Returns a decimal without an exponent, as the API requires."""
    if isinstance(value, str):
        return value
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        raise ValueError(f"{value} is not a decimal")
    return format(exact, "f")


@dataclass(frozen=True)
class Trigger:
    """The condition of a trigger order: a mark price, and whether the order takes profit or stops a loss."""

    price: Amount
    tpsl: Literal["tp", "sl"]
    is_market: bool = True


@dataclass(frozen=True)
class Order:
    """An order. On outcome markets, `is_buy` and `reduce_only` together select the outcome and the side."""

    asset: int
    is_buy: bool
    price: Amount
    size: Amount
    reduce_only: bool = False
    tif: Tif = "Gtc"
    #: Unix time in milliseconds at which a `Gtd` order expires.
    expire_time: int | None = None
    #: If set, the order is a trigger order and `tif` is not used.
    trigger: Trigger | None = None
    margin_mode: MarginMode | None = None
    #: Client order id: 16 bytes, as a UUID or as `0x` followed by hexadecimal digits.
    cloid: str | None = None

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {
            "a": self.asset,
            "b": self.is_buy,
            "p": decimal_text(self.price),
            "s": decimal_text(self.size),
            "r": self.reduce_only,
            "t": self._kind(),
        }
        if self.margin_mode is not None:
            wire["m"] = self.margin_mode
        if self.cloid is not None:
            wire["c"] = self.cloid
        return wire

    def _kind(self) -> dict[str, Any]:
        if self.trigger is not None:
            return {
                "trigger": {
                    "isMarket": self.trigger.is_market,
                    "triggerPx": decimal_text(self.trigger.price),
                    "tpsl": self.trigger.tpsl,
                }
            }
        limit: dict[str, Any] = {"tif": self.tif}
        if self.expire_time is not None:
            limit["expireTime"] = self.expire_time
        return {"limit": limit}
