import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { Json } from '../support/client.ts';

/** A request to the venue with its response, or a frame sent to one of its sockets. */
export type Recorded = { readonly path: string; readonly sent: Json; readonly answer?: Json };

/** Forwards requests and frames to a venue, and records them. */
export async function recordingProxy(venue: { readonly url: string; readonly streams: string }) {
  const records: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = request.url ?? '/';
    const forwarded = await fetch(venue.url + path, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    const text = await forwarded.text();
    if (body !== '') records.push({ path, sent: JSON.parse(body), answer: JSON.parse(text) });
    response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(text);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (client, request) => {
    const path = request.url ?? '/';
    const upstream = new WebSocket(venue.url.replace('http', 'ws') + path);
    const opened = new Promise((resolve) => upstream.once('open', resolve));
    client.on('message', (data) => {
      records.push({ path, sent: JSON.parse(String(data)) });
      void opened.then(() => upstream.send(String(data)));
    });
    upstream.on('message', (data) => client.send(String(data)));
    upstream.on('close', () => client.close());
    client.on('close', () => upstream.close());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records,
    close(): void {
      for (const client of sockets.clients) client.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}
