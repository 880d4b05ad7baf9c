import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

type PipelineOptions = {
  /** Schedules further work on a connection with many requests. */
  readonly later: (run: () => void) => void;
  /**
   * Offers the bytes of the next requests to another reader. Returns the first request if that
   * reader accepts it, or undefined if the runtime must parse it.
   */
  readonly read: (bytes: Buffer) => TakenRequest | undefined;
};

/** A complete request that need not be passed to the runtime's parser. */
export type TakenRequest = {
  readonly bytes: number;
  readonly serve: () => void;
};

/**
 * Passes the bytes of a connection to the parser one request at a time. The runtime's parser
 * processes everything that has arrived. Sixty kilobytes can contain two thousand requests without
 * a body. All of them would start before any other client gets a turn, and all their responses
 * would be in memory. This class holds back the bytes after a request until its response has been
 * sent. The socket's buffer then fills, and the sender has to wait.
 *
 * Simple requests are offered to another reader first. Taking over the `data` listener ends the
 * runtime's native reading of the socket, which would save about a fifth of the CPU time of other
 * short requests. Native reading cannot be interrupted: the parser applies a pause only after it
 * has parsed everything that has arrived. A single write of 64 KiB would start 2,427 requests that
 * take 4 MB of the heap, and one client can have 512 connections.
 */
export class Pipeline {
  readonly #socket: Socket;
  /** The runtime's handler of received bytes. */
  readonly #feed: (bytes: Buffer) => void;
  readonly #options: PipelineOptions;
  #current: Pick<IncomingMessage, 'complete'> | undefined;
  /**
   * True if the parser has received exactly those requests whose responses have been sent, so that
   * the next bytes begin a request. The first request of every connection goes to the parser,
   * because the parser waits for one with a time limit.
   */
  #isBetween = false;
  /** True if the parser receives the current request without any bytes after it. */
  #isExact = false;
  /** The number of bytes of the body still missing; unknown for a chunked body. */
  #bodyLeft = 0;
  /** The number of bytes passed to the parser after the end of a request's head. */
  #behindHead = 0;
  /**
   * The number of bytes matched so far of the `\r
   *
   * \r
   *
   * ` terminator of a head.
   */
  #matched = 0;
  #rest: Buffer = NOTHING;
  #isLeft = false;
  /** True if too many parts have arrived at once and the next ones wait for their turn. */
  #isWaiting = false;

  /** Must be constructed after the runtime has set up the connection. */
  constructor(socket: Socket, options: PipelineOptions) {
    const [feed] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (feed === undefined) throw new TypeError('the connection has no data listener');
    this.#socket = socket;
    this.#options = options;
    this.#feed = feed;
    socket.off('data', feed);
    socket.on('data', this.#take);
  }

  /**
   * Called by the port when the parser has found the head of a request, which happens while bytes
   * are being passed on.
   */
  begin(request: IncomingMessage): void {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const bytes = coding === undefined ? Number(length ?? 0) : 0;
    this.#current = request;
    this.#isExact = coding === undefined && this.#behindHead <= bytes;
    this.#bodyLeft = Math.max(0, bytes - this.#behindHead);
  }

  /**
   * Called when the response has been sent or its client has disconnected. The next request can
   * then start.
   */
  end(): void {
    this.#isBetween = this.#isExact && this.#current?.complete === true;
    this.#current = undefined;
    this.#goOn();
  }

  /** Detaches the connection and returns the received bytes that were not passed on. */
  leave(): Buffer {
    this.#isLeft = true;
    this.#socket.off('data', this.#take);
    return this.#rest;
  }

  readonly #take = (bytes: Buffer): void => {
    this.#rest = bytes;
    for (let parts = 0; this.#rest.length > 0 && this.#isParsed; parts += 1) {
      if (this.#current?.complete === true) {
        this.#putBack();
        break;
      }
      if (parts === PARTS_MAX) {
        this.#putBack();
        this.#isWaiting = true;
        this.#options.later(() => {
          this.#isWaiting = false;
          this.#goOn();
        });
        break;
      }
      const taken = this.#isBetween ? this.#options.read(this.#rest) : undefined;
      this.#isBetween = false;
      if (taken === undefined) this.#passOn();
      else this.#serve(taken);
    }
    if (!this.#isLeft) this.#rest = NOTHING;
  };

  #passOn(): void {
    const part = this.#nextPart();
    this.#rest = this.#rest.subarray(part.length);
    this.#feed(part);
  }

  #serve({ bytes, serve }: TakenRequest): void {
    this.#rest = this.#rest.subarray(bytes);
    this.#matched = 0;
    this.#isExact = true;
    this.#current = COMPLETE;
    serve();
  }

  /**
   * True if the runtime still parses this connection. It reuses the parser after a malformed
   * request or an upgrade, so bytes that are passed on afterwards would reach another connection.
   */
  get #isParsed(): boolean {
    const { parser } = this.#socket as Socket & { readonly parser?: unknown };
    return !this.#isLeft && !this.#socket.destroyed && parser !== null;
  }

  /**
   * Pauses the socket and returns the bytes to it. Called only if there are bytes, because only a
   * connection that is being read reports that its client has disconnected.
   */
  #putBack(): void {
    this.#socket.pause();
    this.#socket.unshift(this.#rest);
  }

  #goOn(): void {
    // Nothing is read after the last response of a connection.
    const isOver = this.#isLeft || this.#socket.writableEnded || this.#socket.destroyed;
    if (!isOver && !this.#isWaiting && this.#socket.isPaused()) this.#socket.resume();
  }

  /** Returns bytes known to belong to a single request. */
  #nextPart(): Buffer {
    const rest = this.#rest;
    this.#behindHead = 0;
    if (this.#bodyLeft > 0) {
      const size = Math.min(this.#bodyLeft, rest.length);
      this.#bodyLeft -= size;
      return rest.subarray(0, size);
    }
    const end = this.#endOfHead(rest);
    if (end < 0) {
      this.#matched = matchedBy(rest, this.#matched);
      return rest;
    }
    this.#matched = 0;
    // If the bytes do not contain the end of another head, no second request can begin in them.
    // Most bodies arrive together with their head.
    if (rest.indexOf(END_OF_HEAD, end) >= 0) return rest.subarray(0, end);
    this.#behindHead = rest.length - end;
    this.#matched = matchedBy(rest, 0);
    return rest;
  }

  /**
   * Returns the offset after the empty line that ends a head or a chunked body, or a negative
   * number if there is none.
   */
  #endOfHead(bytes: Buffer): number {
    const missing = END_OF_HEAD.subarray(this.#matched);
    if (this.#matched > 0 && bytes.subarray(0, missing.length).equals(missing)) {
      return missing.length;
    }
    const at = bytes.indexOf(END_OF_HEAD);
    return at < 0 ? at : at + END_OF_HEAD.length;
  }
}

/**
 * The maximum number of parts passed on at once. A request with its body takes a few parts. A flood
 * of empty lines, which do not count as requests, takes one part per four bytes.
 */
const PARTS_MAX = 32;
const NOTHING = Buffer.alloc(0);
/** Represents a request that does not come from the parser. */
const COMPLETE = { complete: true };
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Returns how many bytes of the `\r
 *
 * \r
 *
 * ` terminator are matched at the end of the given bytes, given how many were matched before them.
 */
function matchedBy(bytes: Buffer, before: number): number {
  const last = END_OF_HEAD.length - 1;
  let matched = bytes.length >= last ? 0 : before;
  for (const byte of bytes.subarray(-last)) {
    matched = byte === END_OF_HEAD[matched] ? matched + 1 : byte === END_OF_HEAD[0] ? 1 : 0;
  }
  return Math.min(matched, last);
}
