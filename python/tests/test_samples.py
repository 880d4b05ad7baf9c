"""Checks that the samples on the documentation site send the recorded requests, and that a venue accepts them."""

import asyncio
import json
import os
import re
import subprocess
import threading
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

import websockets

from oddlot import ApiError

from venue import ROOT, Venue

SITE = ROOT / "packages/site/dist/site/docs"
SAMPLE = re.compile(r"^Python:\n\n```python\n(.*?)^```$", re.S | re.M)
RECORDED = re.compile(r"^(?:Request|Subscribe)(?: \(\w+\))?:\n\n```json\n(.*?)^```$", re.S | re.M)
#: Problems with a request itself, as opposed to the state of the venue.
WRONG_REQUEST = {"BAD_REQUEST", "MISMATCH", "BAD_NONCE", "VERSION"}
URL = "http://127.0.0.1:8690"


def recorded_requests():
    """Returns the requests shown in the reference pages."""
    pages = (ROOT / "docs/reference").glob("*.md")
    names = re.compile(r"^(?:exchange|info-\w+|streams)$")
    texts = [page.read_text(encoding="utf-8") for page in pages if names.match(page.stem)]
    return [json.loads(found) for text in texts for found in RECORDED.findall(text)]


def comparable(body):
    """Removes values that differ between runs: signatures, nonces, expiries, and the sender of a wrapper."""
    if "action" not in body:
        return body
    action = {key: value for key, value in body["action"].items() if key != "nonce"}
    if action["type"] == "multiSig":
        payload = {key: value for key, value in action["payload"].items() if key != "outerSigner"}
        action |= {"signatures": len(action["signatures"]), "payload": payload}
    return {"action": action, "confirm": body.get("confirm")}


class Proxy:
    """Forwards requests to a venue and records them with the names of any errors."""

    def __init__(self, url):
        self.sent = []
        self.faults = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {"content-type": "application/json"}
                request = urllib.request.Request(url + self.path, body, headers)
                try:
                    with urllib.request.urlopen(request) as response:
                        status, text = response.status, response.read()
                except urllib.error.HTTPError as error:
                    status, text = error.code, error.read()
                    error.close()
                proxy.sent.append(json.loads(body))
                name = json.loads(text).get("name")
                if name in WRONG_REQUEST:
                    proxy.faults.append((json.loads(body), text))
                self.send_response(status)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        node = ROOT / "node_modules/.bin/node"
        build = ROOT / "packages/site/build/build-site.ts"
        subprocess.run([str(node) if node.exists() else "node", str(build), "--if-stale"], check=True)
        cls.venue = Venue()
        cls.addClassCleanup(cls.venue.close)

    def programs(self, folder, url):
        for page in sorted((SITE / folder).glob("*.md")):
            for sample in SAMPLE.findall(page.read_text(encoding="utf-8")):
                yield sample.replace(URL, url)

    def test_queries_and_actions(self):
        proxy = Proxy(self.venue.url)
        self.addCleanup(proxy.close)
        keys = {"ODDLOT_KEY": self.venue.keys[0], "ODDLOT_KEY_2": self.venue.keys[1]}
        with mock.patch.dict(os.environ, keys), mock.patch("builtins.print"):
            for folder in ("exchange", "info"):
                for source in self.programs(folder, proxy.url):
                    try:
                        exec(source, {})
                    except Exception as error:
                        # This venue is in a different state, so it may reject the request.
                        self.assertIsInstance(error, ApiError, source)
        sent = [comparable(body) for body in proxy.sent]
        for request in recorded_requests():
            if "subscription" not in request:
                self.assertIn(comparable(request), sent)
        self.assertEqual(proxy.faults, [])

    def test_channels(self):
        sent = []
        wanted = [request for request in recorded_requests() if "subscription" in request]
        asyncio.run(asyncio.wait_for(self._follow(sent, wanted), 60))
        for request in wanted:
            self.assertIn(request, sent)

    async def _follow(self, sent, wanted):
        async def record(socket):
            async for text in socket:
                sent.append(json.loads(text))

        async with websockets.serve(record, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            tasks = []
            for source in self.programs("streams", f"http://127.0.0.1:{port}"):
                scope = {}
                exec(source.replace("asyncio.run(main())", ""), scope)
                tasks.append(asyncio.ensure_future(scope["main"]()))
            while len([each for each in sent if "subscription" in each]) < len(wanted):
                await asyncio.sleep(0.05)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    unittest.main()
