import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least that a server of queries can do: read the body, and answer with the bytes that were last posted to `/learn`. */

let answer: Buffer = Buffer.from('{}');

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    if (request.url === '/learn') answer = body;
    const headers = { 'content-type': 'application/json', 'content-length': answer.length };
    response.writeHead(200, headers);
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`constant server is serving at http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
