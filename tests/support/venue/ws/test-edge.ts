import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import type { AppliedBlock } from '../../../../packages/replica/src/block.ts';
import { MarketData } from '../../../../packages/translate/src/read-models/market-data.ts';
import type { BlockRows } from '../../../../packages/history/src/rows/block-rows.ts';
import { ExplorerTail, RecentBlocks } from '../../../../packages/history/src/recent-blocks.ts';
import { TradeTape } from '../../../../packages/history/src/trade-tape.ts';
import { WsEdge, type WsEdgeOptions } from '../../../../packages/api/src/ws/ws-edge.ts';
import { SYSTEM_TIMING, type Timing } from '../../../../packages/api/src/ws/timing.ts';
import { FollowedRows } from '../followed-rows.ts';
import { TestHistory, type TestRow } from './test-history.ts';
import { TestVenue } from './test-venue.ts';
import { WS_LIMITS, type WsLimits } from '../../../../packages/api/src/ws-limits.ts';

/** The request header that carries the simulated client address. */
const FROM = 'x-test-from';

/** The stream edge of another replica of the same venue, and the recent blocks it stores. */
type Elsewhere = {
  readonly beside?: TestEdge;
  readonly recent?: RecentBlocks;
  /** Handles posts in place of the default handler. */
  readonly post?: NonNullable<WsEdgeOptions['post']>;
};

/** Runs the stream edge on a real port with the real engine and real WebSocket clients. */
export class TestEdge {
  readonly venue: TestVenue;
  readonly markets: MarketData;
  /** History with the ledger and funding rows of every block, plus rows added by the test. */
  readonly history: TestHistory;
  readonly tape: TradeTape;
  readonly explorer: ExplorerTail;
  readonly recent: RecentBlocks;
  readonly edge: WsEdge;
  readonly #options: WsEdgeOptions;
  readonly #server: Server;
  readonly #clients: TestClient[] = [];

  private constructor(limits: Partial<WsLimits>, timing: Timing, elsewhere: Elsewhere) {
    const { beside } = elsewhere;
    const venue = beside?.venue ?? TestVenue.open();
    this.venue = venue;
    this.history = beside?.history ?? new TestHistory();
    this.markets = beside?.markets ?? new MarketData(() => venue.state);
    this.tape = beside?.tape ?? new TradeTape(() => venue.state);
    this.explorer = beside?.explorer ?? new ExplorerTail(() => venue.state);
    this.recent = elsewhere.recent ?? beside?.recent ?? new RecentBlocks();
    const fed: readonly { onBlock(block: AppliedBlock): void }[] =
      beside === undefined ? [this.markets, this.tape, this.explorer] : [];
    for (const each of [...fed, ...(this.recent === beside?.recent ? [] : [this.recent])]) {
      venue.onBlock((block) => each.onBlock(block));
    }
    const { explorer, history, markets, recent, tape } = this;
    const followed = beside === undefined ? new FollowedRows(venue, markets) : undefined;
    if (followed !== undefined) history.take(venue.state.height, []);
    this.#options = {
      replica: venue,
      models: { markets, tape, explorer, recent, history },
      limits: { ...WS_LIMITS, numbersBefore: 0, ...limits },
      timing,
      ...(elsewhere.post === undefined ? {} : { post: elsewhere.post }),
    };
    this.edge = new WsEdge(this.#options);
    venue.onBlock((block) => this.edge.onBlock(block));
    if (followed !== undefined) {
      venue.onBlock(({ height }) => this.history.take(height, watchedRows(followed.last)));
    }
    this.#server = createServer();
    this.#server.on('upgrade', (request, socket, head) => {
      const { [FROM]: from = '198.51.100.7' } = request.headers;
      this.edge.handleUpgrade(request, socket, head, String(from));
    });
  }

  static async start(
    limits: Partial<WsLimits> = {},
    timing: Timing = SYSTEM_TIMING,
    elsewhere: Elsewhere = {},
  ): Promise<TestEdge> {
    const edge = new TestEdge(limits, timing, elsewhere);
    edge.#server.listen(0, '127.0.0.1');
    await once(edge.#server, 'listening');
    return edge;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connects a client. By default, all clients have the same address. */
  async connect(
    path = '/ws',
    { autoPong = true, from }: { readonly autoPong?: boolean; readonly from?: string } = {},
  ): Promise<TestClient> {
    const headers = from === undefined ? {} : { [FROM]: from };
    const client = new TestClient(`ws://127.0.0.1:${this.port}${path}`, { autoPong, headers });
    this.#clients.push(client);
    await once(client.socket, 'open');
    return client;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.socket.terminate();
    await this.edge.drain();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function watchedRows({ fundings, ledger }: BlockRows): TestRow[] {
  return [
    ...ledger.map(({ accountTypes, row, user }) => {
      return { user, table: 'ledger', accountTypes, row } as const;
    }),
    ...fundings.map(({ row, user }) => {
      return { user, table: 'fundings', accountTypes: ['perp'], row } as const;
    }),
  ];
}

// Tests check the shape of frames field by field, so the type does not restrict it.
// oxlint-disable-next-line no-explicit-any
export type AnyFrame = any;

/** A client that stores every frame until a test reads it. */
export class TestClient {
  readonly socket: WebSocket;
  readonly #frames: string[] = [];
  #wake: (() => void) | undefined;

  constructor(url: string, options: ClientOptions) {
    this.socket = new WebSocket(url, options);
    this.socket.on('message', (data: Buffer) => {
      this.#frames.push(data.toString());
      this.#wake?.();
    });
    this.socket.on('error', () => undefined);
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  subscribe(subscription: object, resumeFrom?: object): void {
    this.send({ method: 'subscribe', subscription, resumeFrom });
  }

  async text(): Promise<string> {
    while (this.#frames.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return this.#frames.shift() ?? '';
  }

  async next(): Promise<AnyFrame> {
    return JSON.parse(await this.text());
  }

  /** Returns all frames that the server sent before its response to a ping. */
  async settle(): Promise<AnyFrame[]> {
    this.send({ method: 'ping' });
    const frames: AnyFrame[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame.method === 'PONG') return frames;
      frames.push(frame);
    }
  }

  /** Subscribes and returns the response, followed by the snapshot if the channel has one. */
  async follow(subscription: object, resumeFrom?: object): Promise<AnyFrame[]> {
    this.subscribe(subscription, resumeFrom);
    return await this.settle();
  }

  async closed(): Promise<{ code: number; reason: string }> {
    const [code, reason] = (await once(this.socket, 'close')) as [number, Buffer];
    return { code, reason: reason.toString() };
  }
}

/** A clock that only the test advances. */
export class VirtualTiming implements Timing {
  #nowMs = 0;
  #timers: { dueMs: number; run: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const [next] = this.#timers.toSorted((a, b) => a.dueMs - b.dueMs);
      if (next === undefined || next.dueMs > untilMs) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
    }
    this.#nowMs = untilMs;
  }
}
