import { connect, type Socket } from 'node:net';
import type { HostilePorts } from './hostile-ports.ts';

/** Requests that are sent ahead, calls that never end, and what is held open: on every port at once. */

type FloodOptions = {
  readonly ports: HostilePorts;
  readonly count: (name: string) => void;
};

const CONNECTIONS_EACH = 5;
const AHEAD_BYTES = 640_000;
/** What is closed is opened again after so long. */
const AGAIN_MS = 500;
const HELD_SOCKETS_EACH = 60;
const HELD_BODIES_EACH = 40;
const CALLS_IN_BATCH = 100;

const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;
const plain = (method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** JUMPDEST, PUSH1 0, JUMP. */
const ENDLESS = { method: 'eth_call', params: [{ data: '0x5b600056' }, 'latest'] };
const BLOCK_NUMBER = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' });

const KINDS: readonly (readonly [port: keyof HostilePorts, name: string, request: string])[] = [
  ['venue', 'page', 'GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n'],
  ['venue', 'missing', plain('GET', '/nothing')],
  ['venue', 'refused', plain('PUT', '/info')],
  ['venue', 'info', post('/info', '{"type":"perpMeta"}')],
  ['venue', 'exchange', post('/exchange', '{}')],
  ['relay', 'relay', plain('GET', '/api/v1/bridge/chains')],
  ['relay', 'relayMissing', plain('GET', '/nothing')],
  ['chain', 'chain', post('/', BLOCK_NUMBER)],
  ['chain', 'chainRefused', plain('GET', '/')],
  ['relayChain', 'relayChain', post('/', BLOCK_NUMBER)],
];

export class Floods {
  readonly #options: FloodOptions;
  readonly #sockets = new Set<Socket>();
  #isOver = false;

  constructor(options: FloodOptions) {
    this.#options = options;
  }

  begin(): void {
    for (const [index, [port, name, request]] of KINDS.entries()) {
      const text = request.repeat(Math.ceil(AHEAD_BYTES / request.length));
      for (let each = 0; each < CONNECTIONS_EACH; each++) {
        this.#keep(port, `127.0.4.${index + 1}`, (socket) => {
          // Most of them never read what they are answered.
          if (each > 0) socket.pause();
          socket.once('data', () => this.#options.count(`ahead ${name}`));
          socket.write(text);
        });
      }
    }
    for (const port of ['chain', 'relayChain'] as const) this.#endlessCalls(port);
    for (const port of ['relay', 'chain', 'relayChain'] as const) this.#hold(port);
  }

  end(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #endlessCalls(port: keyof HostilePorts): void {
    const calls = Array.from({ length: CALLS_IN_BATCH }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      ...ENDLESS,
    }));
    const text = post('/', JSON.stringify(calls));
    for (let each = 0; each < CONNECTIONS_EACH; each++) {
      this.#keep(port, '127.0.5.1', (socket) => {
        socket.once('data', () => socket.destroy());
        socket.write(text);
        this.#options.count('endless');
      });
    }
  }

  #hold(port: keyof HostilePorts): void {
    for (let each = 0; each < HELD_SOCKETS_EACH; each++) {
      this.#keep(port, '127.0.5.2', () => this.#options.count('held sockets'));
    }
    for (let each = 0; each < HELD_BODIES_EACH; each++) {
      this.#keep(port, '127.0.5.3', (socket) => {
        socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n');
        socket.write('x'.repeat(50_000));
        socket.once('data', () => this.#options.count('held bodies refused'));
      });
    }
  }

  /** A connection that is opened again whenever it ends. */
  #keep(port: keyof HostilePorts, localAddress: string, begin: (socket: Socket) => void): void {
    if (this.#isOver) return;
    const target = { port: this.#options.ports[port], host: '127.0.0.1', localAddress };
    const socket = connect(target);
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('connect', () => begin(socket));
    socket.once('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#keep(port, localAddress, begin), AGAIN_MS);
    });
    socket.resume();
  }
}
