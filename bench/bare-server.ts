import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRecoverer } from '../packages/api/src/recoverer.ts';
import { NETWORK } from './signed-requests.ts';

/**
 * The least that a server of signed requests can do: read the body, parse it, hash it and recover
 * its signer with the venue's own code, and answer with a text that is always the same.
 */

const recoverer = await createRecoverer(NETWORK);
const data = { type: 'PlaceOrder', data: { statuses: ['success'] } };
const body = JSON.stringify({ status: 'ok', code: 0, data });
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const parsed = JSON.parse(text) as { action?: unknown };
    const { signer } = recoverer.recover(text);
    response.writeHead(parsed.action !== undefined && signer !== undefined ? 200 : 400, headers);
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`bare server is serving at http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
