import { CLIENT_LIMITS, type PostAnswerFrame, type PostFrame } from '@oddlot/protocol';

/** The response to a request that was sent in a frame (a post). */
export type PostAnswer = PostAnswerFrame['data'];

/**
 * The result of a post: its response, `lost` if the connection ended before a response arrived, or
 * `unsent` if the venue cannot have processed it. A lost request may have been processed.
 */
export type Posted = PostAnswer | 'lost' | 'unsent';

const TYPES: Readonly<Record<string, PostFrame['request']['type']>> = {
  '/exchange': 'action',
  '/info': 'info',
};

/**
 * A body with at most this many UTF-16 code units always fits, because each needs at most three
 * bytes in UTF-8.
 */
const SHORT_CHARS = CLIENT_LIMITS.bodyBytesMax / 3;

/** Sends requests as posts over a socket, and matches the responses to them. */
export class Posts {
  readonly #send: (text: string) => void;
  readonly #unanswered = new Map<number, (posted: Posted) => void>();
  #lastId = 0;
  #isUnknown = false;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** Sends a request. Returns undefined if the venue would refuse its frame. */
  ask(path: string, body: string): Promise<Posted> | undefined {
    const type = TYPES[path];
    const isFull = this.#unanswered.size >= CLIENT_LIMITS.postsMax;
    if (type === undefined || isFull || this.#isUnknown || !isShort(body)) return undefined;
    const id = (this.#lastId += 1);
    return new Promise((resolve) => {
      this.#unanswered.set(id, resolve);
      // The signature covers the JSON text of the body, so the text is inserted unchanged.
      this.#send(`{"method":"post","id":${id},"request":{"type":"${type}","payload":${body}}}`);
    });
  }

  answered(answer: PostAnswer): void {
    this.#unanswered.get(answer.id)?.(answer);
    this.#unanswered.delete(answer.id);
  }

  /**
   * Handles the error that the venue sends for an unknown kind of frame. Returns true if posts are
   * unanswered, because a post is the only kind of frame that an older venue may not know.
   */
  refused(): boolean {
    if (this.#unanswered.size === 0) return false;
    this.#isUnknown = true;
    this.#settle('unsent');
    return true;
  }

  /** Ends all posts whose responses can no longer arrive. */
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
