import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  clientKey,
  measured,
  NO_PACE,
  sendingMs,
  statusText,
  FairQueue,
  type WorkBudget,
} from '@oddlot/host/ports';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { SocketRequest } from '@oddlot/host/http';
import { API_VERSION_HEADER } from '@oddlot/protocol';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { Replica } from '@oddlot/replica/replica';
import { Channels } from './channel-sets.ts';
import { BlockWaits, SYSTEM_TIMING, type Timing } from './timing.ts';
import { ChannelSession } from './channel-session.ts';
import type { ChannelContext, StreamModels } from './channels/node-channel.ts';
import { CLOSE, Connection, Outbox } from './connection.ts';
import { type Endpoint, pongFrame } from './frame.ts';
import { mayBePost, Posts } from './posts.ts';
import { PriceTopics, RtdsSession } from './rtds-session.ts';
import { SnapshotCache, StreamHub } from './stream.ts';
import { WS_LIMITS, type WsLimits } from '../ws-limits.ts';

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/ws': 'ws',
  '/api-ws': 'apiWs',
  '/ws-rtds': 'wsRtds',
};

/** How often connections are checked for silence and streams for idleness, in milliseconds. */
const SWEEP_MS = 1000;
/** How long a drain waits for responses to posts at most, in milliseconds. */
const POSTS_MS = 5000;
/** How long a client may take to reply to a close frame, in milliseconds. */
const CLOSE_MS = 5000;

/** Limits the fragments of a message, and the chunks it arrives in. */
const FRAGMENTS_MAX = 64;
const CHUNKS_MAX = 4096;

/**
 * The field of the `ws` library that decides whether the next frame is handled in the same turn of
 * the event loop. It is set after a post that did not have to wait, so posts that arrive together
 * are recovered, logged and answered together. This takes half the CPU time of a separate turn for
 * each post.
 */
const IN_ONE_TURN = '_allowSynchronousEvents';
type Receiver = { [IN_ONE_TURN]: boolean };

type Session = { receive(text: string | undefined): void; close(): void };

type WsStats = {
  readonly connections: Readonly<Record<Endpoint, number>>;
  readonly streams: number;
  readonly keptBytes: number;
  readonly framesSent: number;
  readonly slowClosed: number;
  /** The number of bytes waiting to be read by clients. */
  readonly heldBytes: number;
};

export type WsEdgeOptions = {
  /**
   * `publish` sends the newest block to the streams if it has not been published yet, because a
   * stream may read a block's state only after processing the block.
   */
  readonly replica: Pick<Replica, 'state'> & { readonly publish?: () => void };
  /** The models must process each block before the edge does. */
  readonly models: StreamModels;
  readonly limits?: WsLimits;
  readonly timing?: Timing;
  /** The CPU time available to each client; frames beyond it are dropped. */
  readonly work?: WorkBudget;
  /** Schedules the frames of different clients fairly. */
  readonly queue?: FairQueue;
  /**
   * Executes requests for /info and /exchange that arrive in frames on /ws. If absent, such frames
   * are invalid.
   */
  readonly post?: (request: SocketRequest) => void;
};

/**
 * Serves the WebSocket endpoints: handshakes, limits per client and connection, and the lifetime of
 * connections.
 */
export class WsEdge {
  readonly #limits: WsLimits;
  readonly #timing: Timing;
  readonly #server: WebSocketServer;
  readonly #outbox = new Outbox();
  readonly #snapshots = new SnapshotCache();
  readonly #work: WorkBudget | undefined;
  readonly #queue: FairQueue;
  readonly #publish: () => void;
  readonly #hub: StreamHub;
  readonly #blocks: BlockWaits;
  readonly #nodeChannels: Channels;
  readonly #apiChannels: Channels;
  readonly #priceTopics: PriceTopics;
  readonly #connections = new Map<Connection, Endpoint>();
  readonly #posts = new Map<Connection, Posts>();
  readonly #post: WsEdgeOptions['post'];
  readonly #followers = new Set<ChannelSession>();
  /** The number of open connections by endpoint and client address. */
  readonly #open: Record<Endpoint, Map<string, number>> = {
    ws: new Map(),
    apiWs: new Map(),
    wsRtds: new Map(),
  };
  /** Set when draining starts, and resolved once the last connection has closed. */
  #drained: PromiseWithResolvers<void> | undefined;
  #cancelSweep: () => void = () => undefined;

  constructor({ replica, models, ...options }: WsEdgeOptions) {
    const { limits = WS_LIMITS } = options;
    const publish = (): void => replica.publish?.();
    const timing = timingBehind(publish, options.timing ?? SYSTEM_TIMING);
    const state = () => replica.state;
    this.#limits = limits;
    this.#timing = timing;
    this.#publish = publish;
    this.#work = options.work;
    this.#post = options.post;
    this.#queue = options.queue ?? new FairQueue(NO_PACE);
    const height = (): number => replica.state.height;
    this.#hub = new StreamHub(limits, timing, { height, snapshots: this.#snapshots });
    this.#blocks = new BlockWaits(height, timing);
    const context: ChannelContext = { ...models, state, limits, timing };
    this.#nodeChannels = new Channels('ws', context);
    this.#apiChannels = new Channels('api-ws', context);
    const { prices } = models.markets;
    this.#priceTopics = new PriceTopics({ state, prices, limits, timing });
    this.#server = new WebSocketServer(serverOptions(limits));
    this.#planSweep();
  }

  /** Waits for blocks that a client has received from another process. */
  get blocks(): Pick<BlockWaits, 'reached'> {
    return this.#blocks;
  }

  /** Returns the connection limit per client address and the number of open connections. */
  connections(endpoint: Endpoint, ip: string): { limit: number; open: number } {
    return {
      limit: this.#limits.connectionsMax,
      open: this.#open[endpoint].get(clientKey(ip)) ?? 0,
    };
  }

  onBlock(block: AppliedBlock): void {
    // All connections are closing, so nothing more is published.
    if (this.#drained !== undefined) return;
    this.#snapshots.clear();
    this.#nodeChannels.onBlock(block);
    this.#apiChannels.onBlock(block);
    this.#priceTopics.onBlock(block);
    this.#blocks.onBlock(block.height);
  }

  get stats(): WsStats {
    const connections = { ws: 0, apiWs: 0, wsRtds: 0 };
    for (const endpoint of this.#connections.values()) connections[endpoint] += 1;
    const { framesSent, heldBytes, slowClosed } = this.#outbox;
    const { size: streams, keptBytes } = this.#hub;
    return { connections, streams, keptBytes, framesSent, slowClosed, heldBytes };
  }

  /** Handles an upgrade request on any path. The socket is upgraded or closed. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, ip: string): void {
    // If an error occurs before the handshake ends, only the socket needs to be closed.
    socket.on('error', () => socket.destroy());
    const endpoint = endpointOf(request.url);
    if (endpoint === undefined) {
      refuse(socket, 404, 'application/json', '{"message":"Not found"}');
      return;
    }
    if (this.#drained !== undefined) {
      refuse(socket, 503, 'text/plain', 'server shutting down');
      return;
    }
    const { limit, open } = this.connections(endpoint, ip);
    if (open >= limit) {
      refuse(socket, 429, 'text/plain', `too many websocket sessions from ${ip}`);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const { [API_VERSION_HEADER]: version } = request.headers;
      this.#welcome(webSocket, { wire: socket, endpoint, ip, version: version?.toString() });
    });
  }

  /**
   * Stops publishing, and closes every connection once its pending posts have been answered. The
   * close code for `elsewhere` asks clients to reconnect to another replica. Resolves when all
   * connections are closed.
   */
  async drain(away: 'gone' | 'elsewhere' = 'gone'): Promise<void> {
    if (this.#drained === undefined) {
      this.#publish();
      this.#drained = Promise.withResolvers();
      this.#cancelSweep();
      this.#priceTopics.close();
      if (this.#connections.size === 0) this.#drained.resolve();
      for (const connection of this.#connections.keys()) {
        const close = (): void => {
          if (away === 'gone') connection.close(CLOSE.goingAway, 'server shutting down');
          else connection.close(CLOSE.serviceRestart, 'reconnect to another replica');
        };
        const posts = this.#posts.get(connection);
        if (posts === undefined || posts.isIdle) close();
        else posts.whenIdle(close, POSTS_MS);
      }
    }
    await this.#drained.promise;
  }

  #welcome(
    webSocket: WebSocket,
    {
      wire,
      endpoint,
      ip,
      version,
    }: { wire: Duplex; endpoint: Endpoint; ip: string; version: string | undefined },
  ): void {
    const connection = new Connection({
      socket: webSocket,
      wire,
      ip,
      outbox: this.#outbox,
      limits: this.#limits,
      timing: this.#timing,
      work: this.#work,
    });
    const spending = this.#spendingOf(connection);
    const session = this.#sessionOf(endpoint, connection, spending);
    this.#connections.set(connection, endpoint);
    const counts = this.#open[endpoint];
    const client = clientKey(ip);
    counts.set(client, (counts.get(client) ?? 0) + 1);
    const inTurn = this.#inTurn(webSocket, client);
    const posts = this.#postsOf(endpoint, connection, version);
    const { _receiver: receiver } = webSocket as WebSocket & { readonly _receiver: Receiver };
    webSocket.on('message', (data, isBinary) => {
      connection.recordFrame();
      // Frames that arrive after the venue's close frame are ignored.
      if (connection.isDismissed) return;
      const text = isBinary ? undefined : textOf(data);
      const isPost = posts !== undefined && text !== undefined && mayBePost(text);
      const run = (): void => {
        // A received post is executed, even if its client has since closed the connection.
        if (isPost && posts.receive(text)) return;
        if (connection.isOpen) spending(() => session.receive(text));
      };
      inTurn(run, isPost ? 1 : 0);
      receiver[IN_ONE_TURN] = isPost && !webSocket.isPaused;
    });
    webSocket.on('ping', (data) => {
      connection.recordFrame();
      receiver[IN_ONE_TURN] = false;
      // A pong is queued and counted like any other frame.
      if (connection.isOpen) connection.send(pongFrame(data));
    });
    webSocket.on('pong', () => {
      connection.recordFrame();
      receiver[IN_ONE_TURN] = false;
    });
    // Every error is followed by a close event, which has the details.
    webSocket.on('error', () => undefined);
    // The `ws` library emits its close event only after it has read all received data, but the slot
    // of the connection must be free immediately.
    wire.once('close', () => {
      const open = (counts.get(client) ?? 1) - 1;
      if (open > 0) counts.set(client, open);
      else counts.delete(client);
    });
    webSocket.on('close', () => {
      session.close();
      connection.release();
      this.#connections.delete(connection);
      this.#posts.delete(connection);
      if (this.#connections.size === 0) this.#drained?.resolve();
    });
  }

  /**
   * Runs the frames of a connection in its client's turn, and pauses reading while any of them is
   * waiting.
   */
  #inTurn(webSocket: WebSocket, client: string): (run: () => void, tokens: number) => void {
    let waiting = 0;
    return (run, tokens) => {
      waiting += 1;
      // Only posts consume tokens, because the rate counts requests. Other frames have their own
      // limit.
      this.#queue.take(
        client,
        () => {
          waiting -= 1;
          if (waiting === 0 && webSocket.isPaused) webSocket.resume();
          run();
        },
        { tokens },
      );
      if (waiting > 0) webSocket.pause();
    };
  }

  #postsOf(
    endpoint: Endpoint,
    connection: Connection,
    version: string | undefined,
  ): Posts | undefined {
    if (this.#post === undefined || endpoint !== 'ws') return undefined;
    const posts = new Posts({ connection, post: this.#post, version });
    this.#posts.set(connection, posts);
    return posts;
  }

  /** Returns a function that runs work for a client and charges the client for the time. */
  #spendingOf(connection: Connection): (run: () => void) => void {
    const work = this.#work;
    const spend = (ms: number): void => work?.spend(connection.ip, ms);
    return (run) => {
      // The client must see the newest block. The client is not charged for publishing it.
      this.#publish();
      if (work === undefined) {
        run();
        return;
      }
      const before = connection.queuedBytes;
      measured(run, spend);
      spend(sendingMs(connection.queuedBytes - before));
    };
  }

  #sessionOf(
    endpoint: Endpoint,
    connection: Connection,
    spending: (run: () => void) => void,
  ): Session {
    const limits = this.#limits;
    if (endpoint === 'wsRtds') {
      const { subscriptionsMax: symbolsMax } = limits;
      return new RtdsSession(connection, { topics: this.#priceTopics, symbolsMax });
    }
    const channels = endpoint === 'ws' ? this.#nodeChannels : this.#apiChannels;
    return new ChannelSession({
      connection,
      endpoint,
      channels,
      hub: this.#hub,
      blocks: this.#blocks,
      limits,
      client: clientKey(connection.ip),
      others: this.#followers,
      spending,
      spend: (ms) => this.#work?.spend(connection.ip, ms),
    });
  }

  #planSweep(): void {
    this.#cancelSweep = this.#timing.after(SWEEP_MS, () => {
      const { idleMsMax, pingEveryMs } = this.#limits;
      for (const connection of this.#connections.keys()) {
        if (connection.silentMs < idleMsMax) connection.pingEvery(pingEveryMs);
        else if (connection.isOpen) connection.close(CLOSE.normal, 'idle');
      }
      this.#hub.sweep();
      this.#planSweep();
    });
  }
}

/**
 * Publishes the newest block before each timer runs, so that timed frames follow the block whose
 * state they read.
 */
function timingBehind(publish: () => void, timing: Timing): Timing {
  return {
    now: () => timing.now(),
    after: (delayMs, run) =>
      timing.after(delayMs, () => {
        publish();
        run();
      }),
  };
}

function serverOptions({ frameBytesMax }: WsLimits) {
  return {
    noServer: true,
    clientTracking: false,
    // Compression costs more than it saves, and compressed frames cannot be shared.
    perMessageDeflate: false,
    maxPayload: frameBytesMax,
    // Each fragment takes an object, and valid clients need only a few.
    maxFragments: FRAGMENTS_MAX,
    maxBufferedChunks: CHUNKS_MAX,
    // One frame per client is processed in each turn of the event loop, so that a flooding client
    // delays only itself.
    allowSynchronousEvents: false,
    autoPong: false,
    // This option is missing from the library's type declarations.
    closeTimeout: CLOSE_MS,
  };
}

/** Returns the endpoint of a request target, ignoring its query, or undefined for other paths. */
function endpointOf(url: string | undefined): Endpoint | undefined {
  const path = (url ?? '').split('?', 1)[0] ?? '';
  return Object.hasOwn(ENDPOINTS, path) ? ENDPOINTS[path] : undefined;
}

function refuse(socket: Duplex, status: number, type: string, body: string): void {
  const head = [
    `HTTP/1.1 ${status} ${statusText(status)}`,
    'Connection: close',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    // The venue cannot predict when a connection will close, so the minimum is returned.
    ...(status === 429 ? ['Retry-After: 1'] : []),
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString();
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data).toString();
}
