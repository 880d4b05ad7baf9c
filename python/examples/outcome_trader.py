"""Buys shares in an outcome market, waits until the order has left the delay queue, and shows the resting order."""

import sys
from decimal import Decimal

from oddlot import Client, Order, PrivateKey

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8690"

with Client(url, PrivateKey.random()) as client:
    client.faucet(account_type="outcome")
    page = client.info.outcome_meta(status="open", limit=50)
    markets = [market for event in page["events"] for market in event["markets"]]
    market = next(each for each in markets if each["phase"] == "open")
    asset, tick = market["instrument_id"], Decimal(market["price_tick"])
    price = max(tick, Decimal(market["pricing"]["best_bid"] or "0.01"))
    # Buying YES: `is_buy` is true and `reduce_only` is false.
    reply = client.order(Order(asset, True, price, market["min_order_size"] or "1", tif="Gtc"))
    print(market["question"], reply.orders[0]["state"], reply.orders[0]["filledSz"])
    for order in client.info.outcome_frontend_open_orders(user=client.address):
        print(order["dir"], order["sz"], "at", order["limitPx"])
