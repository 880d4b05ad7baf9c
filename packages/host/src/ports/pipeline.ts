import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Hands the bytes of a connection to the parser one request at a time. The parser of the runtime takes
 * whatever has arrived: sixty kilobytes of requests without a body are two thousand requests, all begun
 * before anybody else has a turn, each with its answer in memory. Here the bytes behind a request wait until its
 * answer has left; then the socket is full, and the sender waits as well.
 */
export class Pipeline {
  readonly #socket: Socket;
  /** What the runtime does with bytes. */
  readonly #feed: (bytes: Buffer) => void;
  #current: IncomingMessage | undefined;
  /** Bytes of the body that have not come; unknown for one that is sent in chunks. */
  #bodyLeft = 0;
  /** Of what is being fed: the bytes behind the end of a head. */
  #behindHead = 0;
  /** How far the bytes that were fed go into the end of a head. */
  #matched = 0;
  #rest: Buffer = NOTHING;
  #isLeft = false;
  /** Too many parts have come at once: the next ones have to wait for their turn. */
  #isWaiting = false;
  readonly #later: (run: () => void) => void;

  /** To be made when the runtime has taken the connection up; `later` says when it may go on. */
  constructor(socket: Socket, later: (run: () => void) => void) {
    const [feed] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (feed === undefined) throw new TypeError('the connection has no data listener');
    this.#socket = socket;
    this.#later = later;
    this.#feed = feed;
    socket.off('data', feed);
    socket.on('data', this.#take);
  }

  /** The parser has found the head of a request; told while bytes are fed. */
  begin(request: IncomingMessage): void {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const bytes = coding === undefined ? Number(length ?? 0) : 0;
    this.#current = request;
    this.#bodyLeft = Math.max(0, bytes - this.#behindHead);
  }

  /** Its answer has left, or nobody waits for it: the next one may come. */
  end(): void {
    this.#current = undefined;
    this.#goOn();
  }

  /** The connection becomes another one's, with what has come and was not handed on. */
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
        this.#later(() => {
          this.#isWaiting = false;
          this.#goOn();
        });
        break;
      }
      const part = this.#nextPart();
      this.#rest = this.#rest.subarray(part.length);
      this.#feed(part);
    }
    if (!this.#isLeft) this.#rest = NOTHING;
  };

  /**
   * Whether the runtime still reads this connection as requests. It gives the parser back when one of them
   * can't be read, or asks for something else than an answer: what is fed to that one then is another's.
   */
  get #isParsed(): boolean {
    const { parser } = this.#socket as Socket & { readonly parser?: unknown };
    return !this.#isLeft && !this.#socket.destroyed && parser !== null;
  }

  /** Not while nothing has come: a connection that is read tells when its client goes away. */
  #putBack(): void {
    this.#socket.pause();
    this.#socket.unshift(this.#rest);
  }

  #goOn(): void {
    // Behind the last answer of a connection nothing is taken up.
    const isOver = this.#isLeft || this.#socket.writableEnded || this.#socket.destroyed;
    if (!isOver && !this.#isWaiting && this.#socket.isPaused()) this.#socket.resume();
  }

  /** As much as belongs to one request for certain. */
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
    // With no other end behind it no second request can begin in it: most bodies come with their head.
    if (rest.indexOf(END_OF_HEAD, end) >= 0) return rest.subarray(0, end);
    this.#behindHead = rest.length - end;
    this.#matched = matchedBy(rest, 0);
    return rest;
  }

  /** Behind the empty line that ends a head, or a body in chunks; negative where there is none. */
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
 * So many parts are handed over at once. A request and its body are a few; a flood of empty lines, none of
 * which is a request that anybody counts, has as many as a quarter of its bytes.
 */
const PARTS_MAX = 32;
const NOTHING = Buffer.alloc(0);
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** How many bytes of the end of a head stand last, given how many stood before. */
function matchedBy(bytes: Buffer, before: number): number {
  const last = END_OF_HEAD.length - 1;
  let matched = bytes.length >= last ? 0 : before;
  for (const byte of bytes.subarray(-last)) {
    matched = byte === END_OF_HEAD[matched] ? matched + 1 : byte === END_OF_HEAD[0] ? 1 : 0;
  }
  return Math.min(matched, last);
}
