"""Client for Oddlot venues: perpetual futures and outcome markets on one account."""

from .client import Client, Reply
from .errors import ApiError, NoAnswerError, OddlotError, StreamError
from .orders import Order, Trigger
from .signing import (
    MAINNET,
    TESTNET,
    Network,
    PrivateKey,
    SignedAction,
    Signer,
    sign_action,
    sign_inner_action,
)
from .streams import Event, Streams, Subscription

__all__ = [
    "ApiError",
    "Client",
    "Event",
    "MAINNET",
    "Network",
    "NoAnswerError",
    "OddlotError",
    "Order",
    "PrivateKey",
    "Reply",
    "SignedAction",
    "Signer",
    "StreamError",
    "Streams",
    "Subscription",
    "TESTNET",
    "Trigger",
    "sign_action",
    "sign_inner_action",
]
