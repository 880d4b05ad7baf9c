import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createRecoverer } from '../packages/api/src/recoverer.ts';
import { NETWORK } from './signed-requests.ts';

/**
 * Baseline servers for comparison with the venue's. Each does only the work its task requires
 * (`bare-servers.ts <name>`).
 */

const SERVERS = { requests: requestServer, constant: constantServer, broadcast: broadcastServer };
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const name = process.argv[2] as keyof typeof SERVERS;
const server = await SERVERS[name]();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${name} server is serving at http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));

/**
 * Parses each request, hashes it and recovers its signer using the venue's code. The response is
 * constant.
 */
async function requestServer() {
  const recoverer = await createRecoverer(NETWORK);
  const data = { type: 'PlaceOrder', data: { statuses: ['success'] } };
  const answer = JSON.stringify({ status: 'ok', code: 0, data });
  const length = Buffer.byteLength(answer);
  const headers = { 'content-type': 'application/json', 'content-length': length };
  return createServer(
    withBody((_request, response, body) => {
      const text = body.toString();
      const parsed = JSON.parse(text) as { action?: unknown };
      const { signer } = recoverer.recover(text);
      response.writeHead(parsed.action !== undefined && signer !== undefined ? 200 : 400, headers);
      response.end(answer);
    }),
  );
}

/** Responds to every query with the bytes most recently posted to `/learn`. */
function constantServer() {
  let answer: Buffer = Buffer.from('{}');
  return createServer(
    withBody((request, response, body) => {
      if (request.url === '/learn') answer = body;
      const headers = { 'content-type': 'application/json', 'content-length': answer.length };
      response.writeHead(200, headers);
      response.end(answer);
    }),
  );
}

/** Writes the body of each request to all sockets. */
function broadcastServer() {
  const sockets = new Set<Duplex>();
  const broadcast = createServer(
    withBody((_request, response, body) => {
      for (const socket of sockets) socket.write(body);
      response.end();
    }),
  );
  broadcast.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const key = String(request.headers['sec-websocket-key']);
    const accept = createHash('sha1')
      .update(key + ACCEPT_SUFFIX)
      .digest('base64');
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.resume();
    sockets.add(socket);
  });
  return broadcast;
}

function withBody(
  answer: (...exchange: [...Parameters<RequestListener>, body: Buffer]) => void,
): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
  };
}
