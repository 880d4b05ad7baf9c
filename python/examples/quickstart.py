"""Places an order on a local venue and prints its result. Start the venue with `npm start`."""

import sys
from decimal import Decimal

from oddlot import Client, Order, PrivateKey

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8690"

with Client(url, PrivateKey.random()) as client:
    client.faucet()
    market = next(each for each in client.info.perp_meta()["universe"] if not each["delisted"])
    asset, tick = market["index"], Decimal(market["priceTick"])
    bids, asks = client.info.l2_book(coin=str(asset))["levels"]
    # 1 % above the best ask, rounded to the tick. The order executes at the prices of the resting orders.
    price = Decimal(asks[0]["px"]) * Decimal("1.01") // tick * tick
    size = Decimal(market["basePrecision"]) * 100
    reply = client.order(Order(asset, True, price, size, tif="Ioc"))
    print(market["name"], reply.orders[0]["state"], reply.orders[0]["avgPx"])
