import { CLIENT_LIMITS, type PostAnswerFrame, type PostFrame } from '@oddlot/protocol';

/** Answer to a post. */
export type PostAnswer = PostAnswerFrame['data'];

/**
 * Result of a post: its answer; `lost` if the connection ended, so that the request may have been
 * processed; or `unsent` if it was certainly not processed.
 */
export type Posted = PostAnswer | 'lost' | 'unsent';

const TYPES: Readonly<Record<string, PostFrame['request']['type']>> = {
  '/exchange': 'action',
  '/info': 'info',
};

/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const SHORT_CHARS = CLIENT_LIMITS.bodyBytesMax / 3;

/** Requests in frames of a socket, and their answers. */
export class Posts {
  readonly #send: (text: string) => void;
  readonly #unanswered = new Map<number, (posted: Posted) => void>();
  #lastId = 0;
  #isUnknown = false;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** Sends a request, unless the venue would refuse its frame. */
  ask(path: string, body: string): Promise<Posted> | undefined {
    const type = TYPES[path];
    const isFull = this.#unanswered.size >= CLIENT_LIMITS.postsMax;
    if (type === undefined || isFull || this.#isUnknown || !isShort(body)) return undefined;
    const id = (this.#lastId += 1);
    return new Promise((resolve) => {
      this.#unanswered.set(id, resolve);
      // The body is signed as text, so it is not encoded again.
      this.#send(`{"method":"post","id":${id},"request":{"type":"${type}","payload":${body}}}`);
    });
  }

  answered(answer: PostAnswer): void {
    this.#unanswered.get(answer.id)?.(answer);
    this.#unanswered.delete(answer.id);
  }

  /**
   * The venue does not know a kind of frame. True if that can only be a post, which an older venue
   * does not process.
   */
  refused(): boolean {
    if (this.#unanswered.size === 0) return false;
    this.#isUnknown = true;
    this.#settle('unsent');
    return true;
  }

  /** The connection has ended. */
  lost(): void {
    this.#settle('lost');
  }

  #settle(posted: Posted): void {
    for (const resolve of this.#unanswered.values()) resolve(posted);
    this.#unanswered.clear();
  }
}

function isShort(body: string): boolean {
  if (body.length <= SHORT_CHARS) return true;
  return new TextEncoder().encode(body).length <= CLIENT_LIMITS.bodyBytesMax;
}
