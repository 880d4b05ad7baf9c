"""Tests the client against a running venue, and its methods against the API descriptions."""

import asyncio
import inspect
import json
import re
import socket
import threading
import unittest
from decimal import Decimal

import oddlot
from oddlot import MAINNET, ApiError, Client, NoAnswerError, Order, PrivateKey, Streams, Trigger
from oddlot.channels import PATHS
from oddlot.orders import decimal_text

from venue import ROOT, Venue

REFERENCE = ROOT / "docs/reference"
OPENAPI = json.loads((REFERENCE / "openapi.json").read_text(encoding="utf-8"))
ASYNCAPI = json.loads((REFERENCE / "asyncapi.json").read_text(encoding="utf-8"))

BTC = 1




class Descriptions(unittest.TestCase):
    def test_every_action_has_a_method(self):
        actions = OPENAPI["components"]["schemas"]["Action"]["discriminator"]["mapping"]
        source = inspect.getsource(oddlot.client)
        sent = set(re.findall(r'"(\w+)"', source))
        self.assertEqual([action for action in actions if action not in sent], [])

    def test_every_query_has_a_method(self):
        queries = OPENAPI["paths"]["/info"]["post"]["x-responses"]
        methods = [name for name in dir(oddlot.queries.Queries) if not name.startswith("_")]
        self.assertEqual(len(methods), len(queries))

    def test_every_channel_is_known(self):
        schemas = ASYNCAPI["components"]["schemas"]
        described = [
            schemas[each["$ref"].split("/")[-1]]["properties"]["type"]["const"]
            for union in ("WsSubscription", "ApiWsSubscription")
            for each in schemas[union]["oneOf"]
        ]
        self.assertEqual(sorted(PATHS), sorted(described))


class Decimals(unittest.TestCase):
    def test_decimals_have_no_exponent(self):
        self.assertEqual(decimal_text(1e-7), "0.0000001")
        self.assertEqual(decimal_text(0.1), "0.1")
        self.assertEqual(decimal_text(Decimal("1E+3")), "1000")
        self.assertEqual(decimal_text(7), "7")
        self.assertEqual(decimal_text("0.50"), "0.50")

    def test_values_that_are_not_finite_are_rejected(self):
        for value in (float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                decimal_text(value)


class WithVenue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.venue = Venue()
        cls.addClassCleanup(cls.venue.close)
        cls.clients = [Client(cls.venue.url, PrivateKey(key)) for key in cls.venue.keys]
        for client in cls.clients:
            cls.addClassCleanup(client.close)

    def setUp(self):
        self.alice, self.bob, self.carol = self.clients

    def test_a_limit_order_rests_is_amended_and_cancelled(self):
        placed = self.alice.order(Order(BTC, True, "90000", "0.5", cloid="0x" + "ab" * 16))
        self.assertEqual(placed.status, "executed")
        [result] = placed.orders
        self.assertEqual(result["state"], "open")
        amended = self.alice.modify(BTC, "90001", "0.4", oid=result["oid"])
        self.assertEqual(amended.orders[0]["state"], "open")
        resting = self.alice.info.frontend_open_orders(user=self.alice.address)
        self.assertEqual([(each["limitPx"], each["sz"]) for each in resting], [("90001", "0.4")])
        cancelled = self.alice.cancel_by_cloid((BTC, "0x" + "ab" * 16))
        self.assertEqual(cancelled.orders[0]["state"], "cancelled")
        self.assertEqual(self.alice.info.frontend_open_orders(user=self.alice.address), [])

    def test_two_orders_trade_and_both_accounts_have_the_fill(self):
        price = self._mark()
        maker = self.alice.order(Order(BTC, False, price, "0.01"))
        taker = self.bob.order(Order(BTC, True, price, "0.01", tif="Ioc"))
        self.assertEqual(maker.orders[0]["state"], "open")
        self.assertEqual(taker.orders[0]["state"], "filled")
        for client in (self.alice, self.bob):
            [fill, *_] = client.info.user_fills(user=client.address)
            self.assertEqual((fill["px"], fill["sz"]), (price, "0.01"))
        state = self.bob.info.clearinghouse_state(user=self.bob.address)
        self.assertEqual(state["assetPositions"][0]["position"]["szi"], "0.01")
        self.bob.reverse_position(BTC)
        self.alice.cancel_all()

    def test_a_trigger_order_waits(self):
        trigger = Trigger(price="80000", tpsl="sl")
        order = Order(BTC, False, "80000", "0.01", trigger=trigger)
        self.assertEqual(self.carol.order(order).orders[0]["state"], "open")
        self.assertEqual(len(self.carol.info.trigger_orders(user=self.carol.address)), 1)
        self.carol.cancel_all(BTC)

    def test_settings_of_an_instrument_and_the_account(self):
        for reply in (
            self.carol.update_leverage(BTC, 7),
            self.carol.update_margin_mode(BTC, False),
            self.carol.update_margin_mode(BTC, True),
            self.carol.update_position_mode("hedge"),
            self.carol.update_position_mode("oneWay"),
            self.carol.schedule_cancel(),
        ):
            self.assertEqual(reply.status, "executed")
        data = self.carol.info.active_asset_data(user=self.carol.address, coin=str(BTC))
        self.assertEqual(data["leverage"]["value"], 7)

    def test_an_agent_trades_for_its_owner(self):
        key = PrivateKey.random()
        self.alice.approve_agent(key.address, "python")
        with Client(self.venue.url, key) as agent:
            reply = agent.order(Order(BTC, True, "90000", "0.01"))
            self.assertEqual(reply.status, "executed")
        resting = self.alice.info.frontend_open_orders(user=self.alice.address)
        self.assertEqual(len(resting), 1)
        self.alice.cancel_all()

    def test_money_moves_between_sub_accounts_and_accounts(self):
        before = self.bob.info.clearinghouse_state(user=self.bob.address)
        self.alice.token_send(self.bob.address, "12.5")
        after = self.bob.info.clearinghouse_state(user=self.bob.address)
        gained = Decimal(after["withdrawable"]) - Decimal(before["withdrawable"])
        self.assertEqual(gained, Decimal("12.5"))
        moved = self.alice.token_send(self.alice.address, 1, "perp", "outcome")
        self.assertEqual(moved.status, "executed")

    def test_a_multi_sig_account_acts_with_enough_signatures(self):
        owner, one, two = (PrivateKey.random() for _ in range(3))
        for key in (owner, one):
            self.alice.token_send(key.address, "100")
        with Client(self.venue.url, owner) as account, Client(self.venue.url, one) as sender:
            account.convert_to_multi_sig_user([one.address, two.address], 2)
            order = Order(BTC, True, "90000", "0.001").to_wire()
            action = {"type": "order", "grouping": "na", "orders": [order]}
            nonce = 1_000 + max(account.sign({"type": "cancelAll"}).nonce, 0)
            signatures = [
                oddlot.sign_inner_action(
                    key,
                    action,
                    nonce,
                    multi_sig_user=owner.address,
                    outer_signer=one.address,
                )
                for key in (one, two)
            ]
            reply = sender.multi_sig(owner.address, action, signatures, nonce)
            self.assertEqual(reply.orders[0]["state"], "open")

    def test_a_rejection_has_its_name_and_field(self):
        with self.assertRaises(ApiError) as caught:
            self.alice.order(Order(BTC, True, "90000.001", "0.5"))
        self.assertEqual(caught.exception.name, "INVALID")
        self.assertEqual(caught.exception.details["field"], "orders[0].p")
        with self.assertRaises(ApiError) as caught:
            self.alice.query("noSuchQuery")
        self.assertEqual(caught.exception.http_status, 403)

    def test_a_signature_for_another_network_is_explained(self):
        with Client(self.venue.url, PrivateKey(self.venue.keys[0]), network=MAINNET) as client:
            with self.assertRaises(ApiError) as caught:
                client.order(Order(BTC, True, "90000", "0.01"))
        self.assertEqual(caught.exception.name, "NO_ACCOUNT")
        self.assertIn("signed for another network", str(caught.exception))

    def test_a_url_without_its_scheme_is_rejected(self):
        with self.assertRaises(ValueError):
            Client("127.0.0.1:8690")

    def test_the_same_bytes_execute_once(self):
        signed = self.alice.sign(
            {"type": "order", "grouping": "na", "orders": [Order(BTC, True, "90000", "0.01").to_wire()]}
        )
        first = self.alice.send_signed(signed)
        second = self.alice.send_signed(signed)
        self.assertEqual(first.orders[0]["oid"], second.orders[0]["oid"])
        receipt = self.alice.wait_for_action(first.tx_hash)
        self.assertEqual(receipt["status"], "executed")
        self.alice.cancel_all()

    def test_a_lost_answer_is_repeated_with_the_same_bytes(self):
        with LosesFirstAnswer(self.venue.url) as proxy:
            with Client(proxy.url, PrivateKey(self.venue.keys[0])) as client:
                reply = client.order(Order(BTC, True, "90000", "0.01"))
        self.assertEqual(len(proxy.bodies), 2)
        self.assertEqual(proxy.bodies[0], proxy.bodies[1])
        self.assertEqual(reply.status, "executed")
        self.assertEqual(len(self.alice.info.frontend_open_orders(user=self.alice.address)), 1)
        self.alice.cancel_all()

    def test_without_an_answer_the_error_has_the_hash(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with Client(url, PrivateKey.random(), retry_seconds=0.5) as client:
            with self.assertRaises(NoAnswerError) as caught:
                client.order(Order(BTC, True, "90000", "0.01"))
        self.assertRegex(caught.exception.tx_hash, "^0x[0-9a-f]{64}$")

    def _mark(self):
        with_price = self.alice.query("simulate", user=self.alice.address, action={
            "type": "order", "grouping": "na",
            "orders": [Order(BTC, True, "99999999", "0.01", tif="FrontendMarket").to_wire()],
        })
        clamped = next(each for each in with_price["warnings"] if each["code"] == "PRICE_CLAMPED")
        # The clamped price is 5 % above the mark; any price within the band can trade.
        return clamped["details"]["to"]


class LosesFirstAnswer:
    """A proxy that forwards the first action and closes the connection instead of answering."""

    def __init__(self, target):
        self._target = target
        self.bodies = []

    def __enter__(self):
        import http.server
        import urllib.request

        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.bodies.append(body)
                request = urllib.request.Request(
                    outer._target + self.path, body, {"content-type": "application/json"}
                )
                with urllib.request.urlopen(request) as response:
                    answer = response.read()
                if len(outer.bodies) == 1:
                    self.close_connection = True
                    return
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class StreamTests(unittest.TestCase):
    def test_streams_continue_after_the_venue_was_killed(self):
        asyncio.run(self._continue_after_a_kill())

    async def _continue_after_a_kill(self):
        venue = await asyncio.to_thread(Venue)
        self.addCleanup(lambda: venue.close())
        client = Client(venue.url, PrivateKey(venue.keys[0]))
        self.addCleanup(client.close)
        async with Streams(venue.url) as streams:
            updates = streams.subscribe("orderUpdates", user=client.address)
            await updates.ready()

            async def place(price):
                reply = await asyncio.to_thread(client.order, Order(BTC, True, price, "0.01"))
                return reply.orders[0]["oid"]

            async def next_oid():
                event = await asyncio.wait_for(anext(updates), 60)
                return [each["order"]["oid"] for each in event.data]

            first = await place("90000")
            self.assertEqual(await next_oid(), [first])
            port = int(venue.url.rsplit(":", 1)[1])
            await asyncio.to_thread(venue.kill)
            venue = await asyncio.to_thread(Venue, port, venue.data)
            # When this order executes, the client has not resubscribed yet, or has only just done so.
            second = await place("90001")
            self.assertEqual(await next_oid(), [second])
            third = await place("90002")
            self.assertEqual(await next_oid(), [third])

    def test_an_invalid_subscription_is_an_error(self):
        asyncio.run(self._invalid_subscription())

    async def _invalid_subscription(self):
        venue = await asyncio.to_thread(Venue)
        self.addCleanup(venue.close)
        async with Streams(venue.url) as streams:
            good = streams.subscribe("trades", coin=str(BTC))
            bad = streams.subscribe("trades", coin="none")
            with self.assertRaises(oddlot.StreamError):
                await asyncio.wait_for(bad.ready(), 30)
            await asyncio.wait_for(good.ready(), 30)
            book = streams.subscribe("l2Book", coin=str(BTC))
            event = await asyncio.wait_for(anext(book), 30)
            self.assertEqual(len(event.data["levels"]), 2)


if __name__ == "__main__":
    unittest.main()
