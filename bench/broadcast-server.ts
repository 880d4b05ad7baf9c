import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * The least that a server of streams can do: take sockets in, and write to all of them the bytes that are posted, as they
 * are. It knows no subscriptions and keeps nothing.
 */

const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const sockets = new Set<Duplex>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const bytes = Buffer.concat(chunks);
    for (const socket of sockets) socket.write(bytes);
    response.end();
  });
});
server.on('upgrade', (request, socket) => {
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
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`broadcast server is serving at http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
