import type { Requester, StreamPath, VenueStream } from '../venue-access.ts';

export type Subscription = { readonly type: string } & Readonly<Record<string, unknown>>;

export type Follower = {
  /** Called once the subscription exists; frames are delivered after that. */
  readonly ready: () => void;
  readonly frame: (data: unknown) => void;
  readonly fail: (sentence: string) => void;
};

type Followed = {
  readonly subscription: Subscription;
  readonly followers: Set<Follower>;
  sub: number | undefined;
  last: unknown;
  tries: number;
};

type Session = {
  readonly stream: VenueStream;
  isOpen: boolean;
  readonly byKey: Map<string, Followed>;
  readonly bySub: Map<number, Followed>;
};

/** The number of retries for a new account, for which the history can be a few blocks behind. */
const RETRIES_MAX = 60;
/**
 * The delay before a retry if a client that subscribes to many channels in a burst has exceeded its
 * session's budget.
 */
const LIMITED_RETRY_MS = 1_000;

type Frame = {
  readonly channel?: string;
  readonly type?: string;
  readonly data?: unknown;
  readonly sub?: number;
  readonly code?: string;
  readonly message?: string;
  readonly retryAfterMs?: number;
  readonly subscription?: Subscription;
};

export class VenueStreams {
  readonly #requester: Requester;
  /** Called with the reason when the venue has closed a session. */
  readonly #onLost: (reason: string) => void;
  /**
   * True if a second follower receives the last frame immediately. In streams of a state, that
   * frame is the complete state.
   */
  readonly #repeatsLast: boolean;
  readonly #sessions = new Map<StreamPath, Session>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    requester: Requester,
    { onLost, repeatsLast }: { onLost: (reason: string) => void; repeatsLast: boolean },
  ) {
    this.#requester = requester;
    this.#onLost = onLost;
    this.#repeatsLast = repeatsLast;
  }

  /** Follows a stream until the returned function is called. */
  follow(path: StreamPath, subscription: Subscription, follower: Follower): () => void {
    const session = this.#sessions.get(path) ?? this.#open(path);
    const key = JSON.stringify(subscription);
    const known = session.byKey.get(key);
    const followed = known ?? newlyFollowed(subscription);
    followed.followers.add(follower);
    if (known === undefined) {
      session.byKey.set(key, followed);
      if (session.isOpen) ask(session, 'subscribe', followed);
    } else if (followed.sub !== undefined) {
      follower.ready();
      if (this.#repeatsLast && followed.last !== undefined) follower.frame(followed.last);
    }
    return () => leave(session, key, followed, follower);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const { stream } of sessions) stream.close();
  }

  #open(path: StreamPath): Session {
    const { ip, venue } = this.#requester;
    const byKey = new Map<string, Followed>();
    const stream = venue.openStream(path, ip, {
      onOpen: () => {
        session.isOpen = true;
        for (const followed of byKey.values()) ask(session, 'subscribe', followed);
      },
      onFrame: (text) => this.#receive(session, JSON.parse(text) as Frame),
      onClose: (code, reason) => {
        // A session closed by the port itself is no longer listed.
        if (this.#sessions.get(path) !== session) return;
        this.#sessions.delete(path);
        this.#onLost(reason === '' ? `the venue closed the stream (${code})` : reason);
      },
    });
    const session: Session = { stream, isOpen: false, byKey, bySub: new Map() };
    this.#sessions.set(path, session);
    return session;
  }

  #receive(session: Session, frame: Frame): void {
    if (frame.channel === 'subscriptionResponse') return begin(session, frame.data);
    if (frame.channel === 'error') return this.#fail(session, frame.data as Frame);
    if (frame.type === 'error') return this.#fail(session, frame);
    const followed = frame.sub === undefined ? undefined : session.bySub.get(frame.sub);
    if (followed === undefined || frame.channel === 'resync') return undefined;
    if (this.#repeatsLast) followed.last = frame.data;
    for (const { frame: onFrame } of followed.followers) onFrame(frame.data);
    return undefined;
  }

  #fail(session: Session, { code, message = '', subscription, ...error }: Frame): void {
    const key = JSON.stringify(subscription);
    const followed = session.byKey.get(key);
    if (followed === undefined) return;
    const isLimited = code === 'RISK_RATE_LIMITED';
    const retryAfterMs = error.retryAfterMs ?? (isLimited ? LIMITED_RETRY_MS : undefined);
    if (retryAfterMs !== undefined && followed.tries < RETRIES_MAX) {
      followed.tries += 1;
      const again = (): void => {
        this.#timers.delete(timer);
        if (session.byKey.get(key) === followed) ask(session, 'subscribe', followed);
      };
      const timer = setTimeout(again, retryAfterMs);
      this.#timers.add(timer);
      return;
    }
    session.byKey.delete(key);
    for (const { fail } of followed.followers) fail(message);
  }
}

function newlyFollowed(subscription: Subscription): Followed {
  return { subscription, followers: new Set(), sub: undefined, last: undefined, tries: 0 };
}

function leave(session: Session, key: string, followed: Followed, follower: Follower): void {
  followed.followers.delete(follower);
  if (followed.followers.size > 0 || session.byKey.get(key) !== followed) return;
  session.byKey.delete(key);
  if (followed.sub === undefined) return;
  session.bySub.delete(followed.sub);
  ask(session, 'unsubscribe', followed);
}

/**
 * Associates a new subscription's number with its frames, or ends the subscription if all its
 * followers have left.
 */
function begin(session: Session, data: unknown): void {
  const { method, sub, subscription } = data as {
    readonly method: string;
    readonly sub: number;
    readonly subscription: Subscription;
  };
  if (method !== 'subscribe') return;
  const followed = session.byKey.get(JSON.stringify(subscription));
  if (followed === undefined) {
    session.stream.send(JSON.stringify({ method: 'unsubscribe', subscription }));
    return;
  }
  followed.sub = sub;
  session.bySub.set(sub, followed);
  for (const { ready } of followed.followers) ready();
}

function ask({ stream }: Session, method: string, { subscription }: Followed): void {
  stream.send(JSON.stringify({ method, subscription }));
}
