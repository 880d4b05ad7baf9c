import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

type ControlFrame = {
  readonly method: string;
  readonly subscription?: { readonly type: string };
  readonly resumeFrom?: {
    readonly epoch?: string;
    readonly seq?: number;
    readonly height?: number;
  };
};

/**
 * A scripted WebSocket server that accepts subscriptions like the venue. It can publish, skip a
 * sequence number, reject a request, lose its buffer, stop responding and disconnect.
 */
export class FakeStreams {
  /** All received frames except pings. */
  readonly controls: ControlFrame[] = [];
  pings = 0;
  connectionCount = 0;
  epoch = 'first';
  seq = 0;
  /** Published data by sequence number. A client can resume from any of these numbers. */
  readonly published = new Map<number, unknown>();
  /** The snapshot that a subscription returns. If unset, no snapshot is sent. */
  snapshot: unknown;
  /** Block heights by sequence number, for clients that resume from a height. */
  heights = new Map<number, number>();
  height: number | undefined;
  refusal: { code: string; message: string; retryAfterMs?: number } | undefined;
  isSilent = false;
  #server: WebSocketServer;
  #sockets = new Map<WebSocket, number[]>();
  #port = 0;

  private constructor(port: number) {
    this.#server = new WebSocketServer({ port, host: '127.0.0.1' });
    this.#server.on('connection', (socket) => this.#welcome(socket));
  }

  static async start(port = 0): Promise<FakeStreams> {
    const streams = new FakeStreams(port);
    await new Promise((resolve) => streams.#server.once('listening', resolve));
    streams.#port = (streams.#server.address() as AddressInfo).port;
    return streams;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/ws`;
  }

  /** Sends the next frame to all subscriptions. */
  publish(data: unknown): void {
    this.seq += 1;
    this.published.set(this.seq, data);
    this.#sendAll(data);
  }

  /** Sends the next frame together with its block height. */
  publishAt(height: number, data: unknown): void {
    this.height = height;
    this.heights.set(this.seq + 1, height);
    this.publish(data);
  }

  /** Consumes the next sequence number without sending its frame. */
  lose(data: unknown): void {
    this.seq += 1;
    this.published.set(this.seq, data);
  }

  /** Terminates all connections without a close frame. */
  cut(): void {
    for (const socket of this.#sockets.keys()) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #sendAll(data: unknown): void {
    for (const [socket, subs] of this.#sockets) {
      for (const sub of subs) this.#sendData(socket, { sub, seq: this.seq, data });
    }
  }

  #sendData(socket: WebSocket, frame: { sub: number; seq: number; data: unknown }): void {
    const height = this.heights.get(frame.seq);
    const block = height === undefined ? {} : { height };
    socket.send(JSON.stringify({ channel: 'trades', ...frame, ...block }));
  }

  #welcome(socket: WebSocket): void {
    this.connectionCount += 1;
    const subs: number[] = [];
    this.#sockets.set(socket, subs);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as ControlFrame;
      if (frame.method === 'ping') {
        this.pings += 1;
        if (!this.isSilent) socket.send('{"method":"PONG"}');
        return;
      }
      this.controls.push(frame);
      if (!this.isSilent) this.#answer(socket, subs, frame);
    });
  }

  #answer(socket: WebSocket, subs: number[], frame: ControlFrame): void {
    const { method, subscription, resumeFrom } = frame;
    const { epoch, seq } = this;
    if (this.refusal !== undefined) {
      socket.send(JSON.stringify({ type: 'error', ...this.refusal }));
      return;
    }
    const sub = this.controls.length;
    const named = resumeFrom?.height;
    const later = [...this.heights].find(([, height]) => height > (named ?? Infinity))?.[0];
    const last = named === undefined ? seq : (later ?? seq + 1) - 1;
    const from = this.height === undefined ? {} : { fromHeight: named ?? this.height };
    const data = { method, subscription, sub, epoch, seq: last, ...from };
    socket.send(JSON.stringify({ channel: 'subscriptionResponse', data }));
    if (method === 'unsubscribe') {
      subs.pop();
      return;
    }
    subs.push(sub);
    if (resumeFrom?.epoch === epoch || named !== undefined) {
      for (let missed = (resumeFrom?.seq ?? last) + 1; missed <= seq; missed++) {
        this.#sendData(socket, { sub, seq: missed, data: this.published.get(missed) });
      }
      return;
    }
    if (resumeFrom !== undefined) {
      const resync = { sub, subscription, epoch, seq, reason: 'epoch' };
      socket.send(JSON.stringify({ channel: 'resync', data: resync }));
    }
    if (this.snapshot !== undefined) this.#sendData(socket, { sub, seq, data: this.snapshot });
  }
}
