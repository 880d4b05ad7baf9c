import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Thousands of subscribers in their own process, which compares every byte received. They implement
 * the WebSocket protocol themselves, because a client library would use more CPU time than the
 * server.
 */

/** Connects sockets with identical subscriptions. */
type Join = {
  readonly port: number;
  readonly count: number;
  readonly subscriptions: readonly string[];
  /**
   * The number of frames that each subscriber receives before those that are identical for all
   * subscribers.
   */
  readonly openingFrames: number;
};

/** Waits until all sockets have received this many more frames. */
type Await = { readonly frames: number };

/** The frames since the last report, in base64, or an error. */
type Got = { readonly frames: readonly string[]; readonly fault?: string };

export class Subscribers {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit').then(() => {
      throw new Error('the subscribers ended');
    });
    this.#ended.catch(() => undefined);
  }

  /** Resolves once all subscribers have received their opening frames. */
  static async join(wanted: Join): Promise<Subscribers> {
    const subscribers = new Subscribers(fork(import.meta.filename));
    await subscribers.#ask(wanted);
    return subscribers;
  }

  /** Returns the next frames once every subscriber has received all of them unchanged. */
  async next(frames: number): Promise<Buffer[]> {
    const got = await this.#ask({ frames });
    return got.frames.map((each) => Buffer.from(each, 'base64'));
  }

  async leave(): Promise<void> {
    this.#child.kill();
    await this.#ended.catch(() => undefined);
  }

  async #ask(message: Join | Await): Promise<Got> {
    this.#child.send(message);
    const [got] = (await Promise.race([once(this.#child, 'message'), this.#ended])) as [Got];
    if (got.fault !== undefined) throw new Error(`subscribers: ${got.fault}`);
    return got;
  }
}

/** The number of connections that a server accepts without queueing. */
const JOINED_AT_ONCE = 200;
const PATIENCE_MS = 60_000;

/** Checks that all subscribers receive the same frames in the same order. */
class Audience {
  readonly #counts: number[] = [];
  readonly #openingFrames: number;
  #frames: Buffer[] = [];
  #reported = 0;
  #wanted = 0;
  #haveAll = 0;
  #done: (() => void) | undefined;
  fault: string | undefined;

  constructor(openingFrames: number) {
    this.#openingFrames = openingFrames;
  }

  /** Adds a subscriber and returns the listener for its frames. */
  seat(): (frame: Buffer) => void {
    const place = this.#counts.push(0) - 1;
    return (frame) => this.#take(place, frame);
  }

  /** Resolves once each subscriber has received this many additional frames. */
  async have(frames: number): Promise<readonly Buffer[]> {
    this.#wanted += frames;
    this.#haveAll = this.#counts.filter((count) => count >= this.#wanted).length;
    if (this.#haveAll < this.#counts.length) await this.#arrival();
    const got = this.#frames.slice(0, frames);
    this.#frames = this.#frames.slice(frames);
    this.#reported += frames;
    return got;
  }

  async #arrival(): Promise<void> {
    const deadline = setTimeout(() => {
      this.fault ??= `${this.#haveAll} of ${this.#counts.length} have all frames`;
      this.#done?.();
    }, PATIENCE_MS);
    await new Promise<void>((resolve) => (this.#done = resolve));
    clearTimeout(deadline);
  }

  #take(place: number, frame: Buffer): void {
    const count = (this.#counts[place] ?? 0) + 1;
    this.#counts[place] = count;
    if (count > this.#openingFrames) this.#compare(count - 1 - this.#reported, frame);
    if (count !== this.#wanted) return;
    this.#haveAll += 1;
    if (this.#haveAll === this.#counts.length) this.#done?.();
  }

  #compare(at: number, frame: Buffer): void {
    const known = this.#frames[at];
    if (known === undefined) this.#frames[at] = Buffer.from(frame);
    else if (!known.equals(frame)) this.fault ??= `frames differ: ${String(frame)}`;
  }
}

/** Splits a socket's bytes into frames. */
class FrameReader {
  readonly #take: (frame: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  #isOpen = false;

  constructor(take: (frame: Buffer) => void) {
    this.#take = take;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  read(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#isOpen) this.#readHead();
    while (this.#isOpen) {
      const length = frameLength(this.#rest);
      if (length > this.#rest.length) return;
      this.#take(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
    }
  }

  #readHead(): void {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#rest.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 101')) throw new Error(`not taken in: ${head}`);
    this.#isOpen = true;
    this.#rest = this.#rest.subarray(end + 4);
  }
}

/**
 * Returns the length of the first frame. While its header is incomplete, the result exceeds the
 * buffer.
 */
function frameLength(bytes: Buffer): number {
  const short = (bytes[1] ?? 0) & 0x7f;
  if (bytes.length < 2) return 2;
  if (short < 126) return 2 + short;
  if (bytes.length < 10) return 10;
  return short === 126 ? 4 + bytes.readUInt16BE(2) : 10 + bytes.readUInt32BE(6);
}

/** Returns a client's text frame. A zero mask leaves the text unchanged. */
function maskedFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.from([0x81, 0x80 | 126, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}

const HANDSHAKE =
  'GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

function joinOne({ port, subscriptions }: Join, take: (frame: Buffer) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => void socket.write(HANDSHAKE));
    const reader = new FrameReader(take);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      const wasOpen = reader.isOpen;
      try {
        reader.read(chunk);
      } catch (error) {
        reject(error);
      }
      if (wasOpen || !reader.isOpen) return;
      for (const text of subscriptions) socket.write(maskedFrame(text));
      resolve(socket);
    });
  });
}

async function joinAll(join: Join): Promise<Audience> {
  const audience = new Audience(join.openingFrames);
  for (let from = 0; from < join.count; from += JOINED_AT_ONCE) {
    const length = Math.min(JOINED_AT_ONCE, join.count - from);
    await Promise.all(Array.from({ length }, () => joinOne(join, audience.seat())));
  }
  await audience.have(join.openingFrames);
  return audience;
}

let audience: Audience | undefined;

async function answer(message: Join | Await): Promise<Got> {
  if ('port' in message) {
    audience = await joinAll(message);
    return { frames: [] };
  }
  const frames = (await audience?.have(message.frames)) ?? [];
  const fault = audience?.fault;
  return { frames: frames.map((each) => each.toString('base64')), ...(fault && { fault }) };
}

if (import.meta.main) {
  process.on('message', (message: Join | Await) => {
    answer(message).then(
      (got) => process.send?.(got),
      (error: unknown) => process.send?.({ frames: [], fault: String(error) }),
    );
  });
}
