import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

/**
 * Hostile clients, in their own process, that all attack at the same time. Each attack uses its own
 * loopback address and is limited in count and duration.
 */

export type Attack = {
  readonly port: number;
  /** The attacks end after this many milliseconds, or earlier on request. */
  readonly durationMs: number;
  /** An account with thousands of orders, whose order lists the attackers request. */
  readonly whale: string;
  readonly ports: HostilePorts;
};

/** The number of successes and rejections for each attack. */
export type AttackResult = Readonly<Record<string, number>>;

const HELD_PER_SECOND = 50;
const IDLE_SOCKETS = 1_000;
const PING_SOCKETS = 5;
const RESUME_SOCKETS = 10;

/** The maximum time, in milliseconds, for all attacks to begin, even on a busy machine. */
const BEGIN_MS_MAX = 30_000;

const REPORT_MS = 500;

if (import.meta.main) {
  const stopped = Promise.withResolvers<void>();
  process.on('message', (message: Attack | 'stop') => {
    if (message === 'stop') stopped.resolve();
    else void run(message, stopped.promise);
  });
}

async function run(attack: Attack, stopped: Promise<void>): Promise<void> {
  const field = new Battlefield(attack);
  field.junk();
  field.pings();
  field.heldBodies();
  field.idleSockets();
  field.heavyQueries();
  field.resumes();
  field.unreadAnswers();
  field.floods();
  const reports = setInterval(() => process.send?.(field.counts), REPORT_MS);
  const over = new Promise<void>((resolve) => setTimeout(resolve, attack.durationMs));
  await Promise.race([over.then(() => field.allBegun()), stopped]);
  clearInterval(reports);
  field.end();
  process.send?.(field.counts, () => process.exit(0));
}

class Battlefield {
  readonly #attack: Attack;
  readonly #counts: Record<string, number> = {};
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #webSockets = new Set<WebSocket>();
  readonly #agents: Agent[] = [];
  #floods: Floods | undefined;
  #isOver = false;

  constructor(attack: Attack) {
    this.#attack = attack;
  }

  async allBegun(): Promise<void> {
    const deadlineMs = performance.now() + BEGIN_MS_MAX;
    while (Object.keys(this.#counts).length < COUNTED_MIN && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /**
   * Sends bodies of 60 KB with an unknown key and bodies of 1 MB. Ten of each are sent per second.
   */
  junk(): void {
    const post = this.#poster('127.0.0.2');
    const envelope = { action: { type: 'cancelAll' }, signature: { r: '0x1', s: '0x1', v: 27 } };
    const junk = JSON.stringify({ ...envelope, nonce: 1, junk: 'x'.repeat(60_000) });
    const large = JSON.stringify({ ...envelope, nonce: 1, junk: 'x'.repeat(1_000_000) });
    this.#every(100, () => post('junk', '/exchange', junk));
    this.#every(100, () => post('large', '/exchange', large));
  }

  /** Opens sockets that ping at full speed and never read. */
  pings(): void {
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
    const many = Buffer.concat(Array.from({ length: 200 }, () => ping));
    const open = (): void => {
      const socket = this.#open('127.0.0.3');
      socket.write(
        'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
      socket.once('data', () => {
        socket.pause();
        const send = (): void => {
          if (socket.destroyed || this.#isOver) return;
          this.#count('pings');
          if (socket.write(many)) setTimeout(send, 1);
          else socket.once('drain', send);
        };
        send();
      });
      socket.once('close', () => {
        this.#count('pingersClosed');
        if (!this.#isOver) setTimeout(open, 200);
      });
    };
    for (let index = 0; index < PING_SOCKETS; index++) open();
  }

  heldBodies(): void {
    this.#every(1000 / HELD_PER_SECOND, () => {
      const socket = this.#open('127.0.0.4');
      socket.write('POST /info HTTP/1.1\r\nHost: x\r\nContent-Length: 65000\r\n\r\n');
      socket.write('x'.repeat(60_000));
      const slowly = setInterval(() => socket.destroyed || socket.write('x'), 1_000);
      socket.once('data', () => this.#count('heldRefused'));
      socket.once('close', () => clearInterval(slowly));
      this.#count('held');
    });
  }

  /** Opens silent connections from three addresses, and reopens any that are closed. */
  idleSockets(): void {
    let open = 0;
    this.#every(20, () => {
      for (let index = 0; index < 20 && open < IDLE_SOCKETS; index++) {
        const socket = this.#open(`127.0.0.${5 + (open % 3)}`);
        open += 1;
        socket.once('connect', () => this.#count('idleOpened'));
        socket.once('close', () => {
          open -= 1;
          this.#count('idleClosed');
        });
        socket.resume();
      }
    });
  }

  /** Sends the most expensive queries as often as rate limits allow. */
  heavyQueries(): void {
    const { whale } = this.#attack;
    const post = this.#poster('127.0.0.8');
    const list = JSON.stringify({ type: 'frontendOpenOrders', user: whale });
    const action = { type: 'cancelAll' };
    const simulate = JSON.stringify({ type: 'simulate', user: whale, action });
    const wide = JSON.stringify({ type: 'historicalOrders', user: whale, limit: 2_000 });
    this.#every(20, () => post('list', '/info', list));
    this.#every(20, () => post('wide', '/info', wide));
    this.#every(100, () => post('simulate', '/info', simulate));
  }

  /** Opens ten sockets, each of which resumes its stream 40 times per second. */
  resumes(): void {
    const subscription = { type: 'orderUpdates', user: this.#attack.whale };
    const resumeFrom = { epoch: 'gone', seq: 1 };
    const subscribe = JSON.stringify({ method: 'subscribe', subscription, resumeFrom });
    const leave = JSON.stringify({ method: 'unsubscribe', subscription });
    const open = (): void => {
      const url = `ws://127.0.0.1:${this.#attack.port}/ws`;
      const socket = new WebSocket(url, { localAddress: '127.0.0.9' });
      this.#webSockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('message', (data: Buffer) => {
        this.#count(data.length < 1000 ? 'resumesAnswered' : 'resumesServed');
      });
      const timer = setInterval(() => {
        if (socket.readyState !== WebSocket.OPEN) return;
        for (let index = 0; index < 4; index++) socket.send(index % 2 === 0 ? subscribe : leave);
      }, 100);
      socket.once('close', () => {
        clearInterval(timer);
        this.#webSockets.delete(socket);
        if (!this.#isOver) setTimeout(open, 500);
      });
    };
    for (let index = 0; index < RESUME_SOCKETS; index++) open();
  }

  /** Requests many long responses on each connection and never reads them. */
  unreadAnswers(): void {
    const body = JSON.stringify({ type: 'frontendOpenOrders', user: this.#attack.whale });
    const head = `POST /info HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
    this.#every(100, () => {
      const socket = this.#open('127.0.0.10');
      socket.pause();
      socket.write(`${head}${body}`.repeat(5));
      this.#count('unread');
    });
  }

  floods(): void {
    const floods = new Floods({ ports: this.#attack.ports, count: (name) => this.#count(name) });
    floods.begin();
    this.#floods = floods;
  }

  get counts(): AttackResult {
    return this.#counts;
  }

  end(): void {
    this.#isOver = true;
    this.#floods?.end();
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
    for (const socket of this.#webSockets) socket.terminate();
    for (const agent of this.#agents) agent.destroy();
  }

  #every(ms: number, run: () => void): void {
    this.#timers.push(setInterval(run, ms));
  }

  #open(localAddress: string): Socket {
    const socket = connect({ port: this.#attack.port, host: '127.0.0.1', localAddress });
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** Returns a client that waits for each response and counts it under a key such as `name 200`. */
  #poster(localAddress: string): (name: string, path: string, body: string) => void {
    const agent = new Agent({ keepAlive: true, maxSockets: UNANSWERED_MAX });
    this.#agents.push(agent);
    let waiting = 0;
    return (name, path, body) => {
      if (waiting >= UNANSWERED_MAX) return;
      waiting += 1;
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const target = { port: this.#attack.port, host: '127.0.0.1', path, method: 'POST' };
      const sent = request({ ...target, localAddress, agent, headers }, (response) => {
        this.#count(`${name} ${response.statusCode}`);
        response.resume();
        response.once('close', () => (waiting -= 1));
      });
      sent.on('error', () => (waiting -= 1));
      sent.end(body);
    };
  }

  #count(name: string): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }
}

/** Attacks all ports at once with pipelined requests, endless calls and held connections. */

type FloodOptions = {
  readonly ports: HostilePorts;
  readonly count: (name: string) => void;
};

const CONNECTIONS_EACH = 5;
const AHEAD_BYTES = 640_000;
const AGAIN_MS = 500;
const HELD_SOCKETS_EACH = 60;
const HELD_BODIES_EACH = 40;
const CALLS_IN_BATCH = 100;

const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;
const plain = (method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** The code `JUMPDEST`, `PUSH1 0`, `JUMP` is an endless loop. */
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

class Floods {
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
          // Only one client reads its responses.
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

  /** Reopens the connection whenever it ends. */
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

/** The ports of a venue with a local chain and a relay. Untrusted clients can reach all of them. */
export type HostilePorts = {
  readonly venue: number;
  readonly chain: number;
  readonly relay: number;
  readonly relayChain: number;
};

const TRIES_MAX = 240;
const PAUSE_MS = 250;

/**
 * Queries the venue for the ports of its chain and relay, and of the relay's chain, which starts
 * last.
 */
export async function hostilePortsOf(venue: string): Promise<HostilePorts> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const found = await ask(venue).catch(() => undefined);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`the relay of ${venue} does not serve`);
}

type Settings = {
  readonly data: { readonly settlement_rpc_url: string; readonly relay_url: string };
};
type Chains = {
  readonly data: readonly { readonly name: string; readonly rpcUrl: string | null }[];
};

async function ask(venue: string): Promise<HostilePorts | undefined> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'settings' });
  const settings = await fetch(`${venue}/info`, { method: 'POST', headers, body });
  const { relay_url: relay, settlement_rpc_url: chain } = ((await settings.json()) as Settings)
    .data;
  const chains = await fetch(`${relay}/api/v1/bridge/chains`);
  const listed = ((await chains.json()) as Chains).data;
  const second = listed.find(({ rpcUrl }) => rpcUrl !== null && rpcUrl !== chain)?.rpcUrl;
  if (second === undefined || second === null) return undefined;
  const port = (url: string): number => Number(new URL(url).port);
  return { venue: port(venue), chain: port(chain), relay: port(relay), relayChain: port(second) };
}

/**
 * The maximum number of unanswered requests per address. It is high enough that even a slow venue
 * does not hold the client below its rate limits.
 */
const UNANSWERED_MAX = 128;

/** The number of counters once every attack has begun. */
export const COUNTED_MIN = 16;
