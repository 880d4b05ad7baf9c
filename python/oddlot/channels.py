# Made by npm run write-openapi.
"""The channels of the sockets."""

from __future__ import annotations

from typing import Literal, Mapping

Channel = Literal[
    "l2Book",
    "l2Diff",
    "trades",
    "activeAssetCtx",
    "orderUpdates",
    "clearinghouseState",
    "userFundings",
    "outcomeBbos",
    "outcomeTrades",
    "outcomeOrderUpdates",
    "explorerBlock",
    "explorerTxs",
    "outcomeOrderUpdate",
    "candle",
    "tickers",
    "recentTrades",
    "userFills",
    "userHistoricalOrders",
    "userNonFundingLedgerUpdates",
]

#: The path of the socket by channel.
PATHS: Mapping[str, str] = {
    "l2Book": "/ws",
    "l2Diff": "/ws",
    "trades": "/ws",
    "activeAssetCtx": "/ws",
    "orderUpdates": "/ws",
    "clearinghouseState": "/ws",
    "userFundings": "/ws",
    "outcomeBbos": "/ws",
    "outcomeTrades": "/ws",
    "outcomeOrderUpdates": "/ws",
    "explorerBlock": "/ws",
    "explorerTxs": "/ws",
    "outcomeOrderUpdate": "/api-ws",
    "candle": "/api-ws",
    "tickers": "/api-ws",
    "recentTrades": "/api-ws",
    "userFills": "/api-ws",
    "userHistoricalOrders": "/api-ws",
    "userNonFundingLedgerUpdates": "/api-ws",
}
