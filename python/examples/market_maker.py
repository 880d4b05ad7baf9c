"""Quotes both sides of a perp around its mark price, and replaces the quotes when the mark moves."""

import asyncio
import sys
from decimal import Decimal

from oddlot import ApiError, Client, Order, PrivateKey, Streams

SPREAD = Decimal("0.001")


async def main(url: str, key: str | None, coin: str) -> None:
    signer = PrivateKey.random() if key is None else PrivateKey(key)
    with Client(url, signer) as client:
        if key is None:
            client.faucet()
        meta = client.info.perp_meta()["universe"]
        market = next(each for each in meta if each["name"].startswith(coin))
        asset, tick = market["index"], Decimal(market["priceTick"])
        size = Decimal(market["basePrecision"]) * 100
        quoted: Decimal | None = None
        async with Streams(url) as streams:
            async for event in streams.subscribe("activeAssetCtx", coin=str(asset)):
                mark = Decimal(event.data["ctx"]["markPx"] or "0")
                if mark == 0 or (quoted is not None and abs(mark - quoted) < mark * SPREAD / 4):
                    continue
                bid = mark * (1 - SPREAD) // tick * tick
                ask = mark * (1 + SPREAD) // tick * tick + tick
                try:
                    await asyncio.to_thread(client.cancel_all, asset)
                    await asyncio.to_thread(
                        client.order,
                        Order(asset, True, bid, size, tif="Alo"),
                        Order(asset, False, ask, size, tif="Alo"),
                    )
                except ApiError as error:
                    print(error)
                    continue
                quoted = mark
                print(f"{market['name']}: {bid} / {ask}", flush=True)


if __name__ == "__main__":
    arguments = [*sys.argv[1:], *[None] * 3][:3]
    try:
        asyncio.run(main(arguments[0] or "http://127.0.0.1:8690", arguments[1], arguments[2] or "BTC"))
    except KeyboardInterrupt:
        pass
