import { WebSocket } from 'ws';
import type { Json } from './client.ts';

/** A WebSocket client that stores every frame and can wait for specific ones. */

const WAIT_MS_MAX = 60_000;

export class Socket {
  /** A hook that is called with every frame and the path of its socket. */
  static onFrame: ((path: string, frame: Json) => void) | undefined;

  readonly frames: Json[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #socket: WebSocket;
  #waiting = new Set<() => void>();
  #posts = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const frame = frameOf(String(data));
      Socket.onFrame?.(new URL(socket.url).pathname, frame);
      this.frames.push(frame);
      for (const wake of this.#waiting) wake();
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
        for (const wake of this.#waiting) wake();
      });
    });
    sockets.add(this);
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<Socket> {
    const socket = new WebSocket(url, { headers });
    const opened = new Socket(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    socket.on('error', () => undefined);
    return opened;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** The number of frames received. Pass it to `next` to ignore earlier frames. */
  get mark(): number {
    return this.frames.length;
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  async protocolPing(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.once('pong', () => resolve());
      this.#socket.ping();
    });
  }

  /** Resolves with the first frame at or after index `from` that `accepts` returns true for. */
  async next(accepts: (frame: Json) => boolean, from = 0, timeoutMs = WAIT_MS_MAX): Promise<Json> {
    const deadline = Date.now() + timeoutMs;
    let seen = from;
    for (;;) {
      for (; seen < this.frames.length; seen++) {
        if (accepts(this.frames[seen])) return this.frames[seen];
      }
      const left = deadline - Date.now();
      if (left <= 0 || !this.isOpen) {
        const received = JSON.stringify(this.frames.slice(from)).slice(0, 3000);
        throw new Error(`No such frame (open: ${this.isOpen}) among ${received}`);
      }
      await this.#wake(left);
    }
  }

  /**
   * Sends a control frame and resolves with the first frame after it that `accepts` returns true
   * for.
   */
  async ask(frame: unknown, accepts: (frame: Json) => boolean): Promise<Json> {
    const from = this.mark;
    this.send(frame);
    return this.next(accepts, from);
  }

  /** Subscribes and resolves with the `data` of the subscriptionResponse. */
  async subscribe(subscription: object, resumeFrom?: object): Promise<Json> {
    const frame = await this.ask(
      { method: 'subscribe', subscription, ...(resumeFrom ? { resumeFrom } : {}) },
      (answer) => answer.channel === 'subscriptionResponse' || isError(answer),
    );
    if (isError(frame)) throw new Error(`Not subscribed: ${JSON.stringify(frame)}`);
    return frame.data;
  }

  /**
   * Posts an /info or /exchange request over the socket, and resolves with the `data` of its
   * response.
   */
  async post(type: string, payload: unknown, id = this.#posts++): Promise<Json> {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const frame = `{"method":"post","id":${id},"request":{"type":"${type}","payload":${body}}}`;
    const isAnswer = ({ channel, data }: Json) => channel === 'post' && data.id === id;
    return (await this.ask(frame, isAnswer)).data;
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  of(channel: string): Json[] {
    return this.frames.filter((frame) => frame.channel === channel);
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
    sockets.delete(this);
  }

  async #wake(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.#waiting.add(wake);
    });
  }
}

/** The two endpoints report errors in different formats. */
function isError(frame: Json): boolean {
  return frame.type === 'error' || frame.channel === 'error';
}

/** Frames are JSON, except for the plain `PONG` on /ws-rtds. */
function frameOf(text: string): Json {
  return text === 'PONG' ? text : JSON.parse(text);
}

export type Refusal = { status: number; contentType: string; body: string };

/** Opens a WebSocket whose handshake must be rejected, and resolves with the HTTP response. */
export async function refusedHandshake(url: string): Promise<Refusal> {
  const socket = new WebSocket(url);
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.close();
      reject(new Error('The handshake was accepted'));
    });
    socket.once('error', () => undefined);
    socket.once('unexpected-response', (outgoing, incoming) => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (part: string) => (body += part));
      incoming.once('end', () => {
        resolve({
          status: incoming.statusCode ?? 0,
          contentType: String(incoming.headers['content-type'] ?? ''),
          body,
        });
        outgoing.destroy();
      });
    });
  });
}

const sockets = new Set<Socket>();

/** Closes all sockets that tests left open. */
export async function closeSockets(): Promise<void> {
  await Promise.all([...sockets].map((socket) => socket.close()));
}
