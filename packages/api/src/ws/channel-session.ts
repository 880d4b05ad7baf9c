import { refusal, type StreamPlace } from '@oddlot/protocol';
import { type Requester, HistoryAwayError, HistoryBehindError } from '@oddlot/history/history';
import type { BlockWaits } from './timing.ts';
import { CLOSE, type Connection } from './connection.ts';
import {
  type Control,
  type Endpoint,
  errorFrame,
  INVALID_FRAME,
  INVALID_POST,
  INVALID_RESUME,
  jsonFrame,
  RATE_LIMITED,
  readControl,
  readResumeFrom,
  type WsError,
} from './frame.ts';
import type {
  ResumePosition,
  LateFrame,
  Past,
  ResyncReason,
  Stream,
  StreamHub,
  StreamRecipe,
} from './stream.ts';
import { Replays } from './replays.ts';
import type { WsLimits } from '../ws-limits.ts';
import { LARGEST_HOLDER_FACTOR } from '@oddlot/host/ports';

/**
 * The first retry delay while a list from the history is not ready, in milliseconds. Clients
 * increase later delays.
 */
const RETRY_AFTER_MS = 500;

export interface ChannelSet {
  /** Parses a subscription as received. Returns a function that opens its stream, or a refusal. */
  open(subscription: unknown): Opening;
  /** Parses a subscription as received and returns its identity. */
  identify(subscription: unknown): Identity;
}

export type Opening =
  | { readonly ok: true; readonly key: string; readonly recipe: StreamRecipe }
  | { readonly ok: false; readonly error: WsError };

export type Identity =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly error: WsError };

/**
 * Pings and ordinary subscriptions are shorter than this. Longer frames are charged to the client
 * before they are parsed.
 */
const SHORT_LENGTH_MAX = 1_024;

const PONG = jsonFrame({ method: 'PONG' });

type SessionLimits = Pick<WsLimits, 'bboGroupsMax' | 'subscriptionsMax'>;
type Held = {
  readonly key: string;
  readonly sub: number;
  readonly stream: Stream;
  readonly subscription: unknown;
};

/** The response to a client that resumes after a certain block. */
type Start =
  | { readonly with: 'snapshot' }
  | ({ readonly with: 'frames' } & ResumePosition)
  | { readonly with: 'resync'; readonly lost: ResyncReason }
  | { readonly with: 'lateResync'; readonly lost: ResyncReason; readonly snapshot: LateFrame };

/**
 * The time limit of a slow first snapshot, and the delay before retrying if its position is lost in
 * the meantime.
 */
export const LATE_MS_MAX = 5_000;
export const LATE_RETRY_MS = 1_000;
/**
 * The maximum number of responses that may be waiting for a slow one. Beyond it, requests are
 * rejected immediately.
 */
const WAITING_MAX = 1_024;

/** The session of one client on /ws or /api-ws. */
export class ChannelSession implements Follower {
  readonly client: string;
  /** The client for whom the history is queried. */
  readonly #requester: Requester;
  readonly #connection: Connection;
  readonly #endpoint: Endpoint;
  readonly #channels: ChannelSet;
  readonly #hub: StreamHub;
  readonly #blocks: Pick<BlockWaits, 'height' | 'reached'>;
  readonly #limits: SessionLimits;
  readonly #others: Set<ChannelSession>;
  /**
   * The subscriptions by identity, which depends only on the parameters received, not on the state.
   */
  readonly #held = new Map<string, Held>();
  readonly #replays: Replays;
  /**
   * Responses are sent in the order of the requests, because error frames do not identify their
   * request.
   */
  readonly #answers = new OrderedReplies();
  readonly #spending: (run: () => void) => void;
  #lastSub = 0;

  constructor(options: {
    connection: Connection;
    endpoint: Endpoint;
    channels: ChannelSet;
    hub: StreamHub;
    blocks: Pick<BlockWaits, 'height' | 'reached'>;
    limits: SessionLimits;
    /**
     * The client that is charged for the costs. `others` contains all sessions that have
     * subscriptions.
     */
    client: string;
    others: Set<ChannelSession>;
    /** Runs deferred work for the client and charges its time. */
    spending?: (run: () => void) => void;
    /** Charges time measured elsewhere. */
    spend?: (ms: number) => void;
  }) {
    const { client, spend = () => undefined } = options;
    this.client = client;
    this.#requester = { client, spend };
    this.#others = options.others;
    this.#others.add(this);
    this.#connection = options.connection;
    this.#endpoint = options.endpoint;
    this.#channels = options.channels;
    this.#hub = options.hub;
    this.#blocks = options.blocks;
    this.#limits = options.limits;
    this.#replays = new Replays(options.connection);
    this.#spending = options.spending ?? ((run) => run());
  }

  get subscriptions(): number {
    return this.#held.size;
  }

  /** Handles a text frame. The text is undefined if the frame is of another type. */
  receive(text: string | undefined): void {
    const small = text !== undefined && text.length <= SHORT_LENGTH_MAX;
    let control: Control | WsError = small ? readControl(text) : INVALID_FRAME;
    if ('method' in control && control.method === 'ping') {
      this.#connection.send(PONG);
      return;
    }
    if (!this.#connection.budget.take()) {
      const error = about(control, RATE_LIMITED);
      if (this.#answers.length < WAITING_MAX) this.#fail(error);
      else this.#connection.send(errorFrame(this.#endpoint, error));
      return;
    }
    if (text !== undefined && !small) control = readControl(text);
    const error = 'method' in control ? this.#obey(control) : control;
    if (error !== undefined) this.#fail(about(control, error));
  }

  close(): void {
    this.#others.delete(this);
    for (const { stream } of this.#held.values()) this.#leave(stream);
    this.#held.clear();
    this.#answers.close();
    this.#replays.close();
  }

  #obey({ method, frame }: Control): WsError | undefined {
    switch (method) {
      case 'ping':
        this.#connection.send(PONG);
        return undefined;
      case 'subscribe':
        return this.#subscribe(frame);
      case 'unsubscribe':
        return this.#unsubscribe(frame);
      case 'post':
        // Valid posts are not passed to the session.
        return this.#endpoint === 'ws' ? INVALID_POST : INVALID_FRAME;
      default:
        return INVALID_FRAME;
    }
  }

  #subscribe(frame: Control['frame']): WsError | undefined {
    const resumeFrom = readResumeFrom(frame['resumeFrom']);
    if (resumeFrom === 'invalid') return INVALID_RESUME;
    const { subscription } = frame;
    const identity = this.#channels.identify(subscription);
    if (identity.ok && this.#held.has(identity.key)) {
      return { code: 'ALREADY_SUBSCRIBED', message: 'Already subscribed' };
    }
    const opening = this.#channels.open(subscription);
    if (!opening.ok) return opening.error;
    const { key, recipe } = opening;
    const full = this.#checkCount(recipe.channel);
    if (full !== undefined) return full;
    if (!this.#hub.hasCapacity(recipe) && !this.#closeLargest())
      return tooMany('streams', this.#hub.size);
    const stream = this.#hub.take(recipe);
    this.#lastSub += 1;
    const held = { key, sub: this.#lastSub, stream, subscription };
    this.#held.set(key, held);
    stream.expect(this.#connection);
    if (resumeFrom !== undefined && 'height' in resumeFrom) {
      this.#comeFromElsewhere(held, resumeFrom.height);
      return undefined;
    }
    const lost = resumeFrom === undefined ? undefined : stream.refuseResume(resumeFrom);
    if (stream.isLate && (resumeFrom === undefined || lost !== undefined)) {
      this.#welcomeLater(held, lost);
    } else {
      this.#answers.add(() => this.#welcome(held, resumeFrom));
    }
    return undefined;
  }

  /**
   * Subscribes a client that has received everything up to a certain block, possibly from another
   * replica.
   */
  #comeFromElsewhere(held: Held, height: number): void {
    const start = this.#startBehind(held, height);
    if (!(start instanceof Promise)) {
      this.#answers.add(() => this.#welcomeAt(held, height, start));
      return;
    }
    const answer = this.#answers.later();
    const given = (send: () => void): void => this.#spending(() => answer(send));
    this.#inTime(start).then(
      (known) => given(() => this.#welcomeAt(held, height, known)),
      (error: unknown) => given(() => this.#refuse(held, error)),
    );
  }

  /**
   * Finds the position at which the client starts. The result is synchronous if the position is
   * already known.
   */
  #startBehind(held: Held, height: number): Start | Promise<Start> {
    if (height > this.#blocks.height) {
      return this.#blocks
        .reached(height)
        .then((isReached) =>
          isReached ? this.#startBehind(held, height) : this.#startLost(held, 'ahead'),
        );
    }
    const { stream } = held;
    if (!stream.isEventStream) return { with: 'snapshot' };
    const start = (found: ResumePosition | 'tooOld'): Start | Promise<Start> =>
      found === 'tooOld' ? this.#startLost(held, found) : { with: 'frames', ...found };
    const found = stream.resumeAfter(height, this.#requester);
    return found instanceof Promise ? found.then(start) : start(found);
  }

  #startLost(held: Held, lost: ResyncReason): Start | Promise<Start> {
    if (!held.stream.isLate) return { with: 'resync', lost };
    return held.stream
      .lateSnapshot(held.sub, this.#requester)
      .then((snapshot) => ({ with: 'lateResync', lost, snapshot }));
  }

  #welcomeAt(held: Held, height: number, start: Start): void {
    const { stream, sub } = held;
    if (start.with === 'lateResync') {
      this.#welcomeLate(held, start.snapshot, start.lost);
      return;
    }
    if (start.with === 'frames') this.#respond('subscribe', held, { seq: start.seq, height });
    else this.#respond('subscribe', held);
    if (!this.#isHeld(held)) return;
    if (start.with === 'frames') {
      this.#replay(start.seq, held, start.past);
      return;
    }
    stream.add(this.#connection, sub);
    if (start.with === 'snapshot') this.#sendSnapshot('subscribe', held);
    else this.#resync(start.lost, held);
  }

  #welcome(held: Held, resumeFrom: StreamPlace | undefined): void {
    const { stream, sub } = held;
    this.#respond('subscribe', held);
    if (!this.#isHeld(held)) return;
    if (resumeFrom !== undefined) {
      this.#resume(resumeFrom, held);
      return;
    }
    stream.add(this.#connection, sub);
    this.#sendSnapshot('subscribe', held);
  }

  /**
   * Responds once the content of the stream is available. Until then, the client is not subscribed.
   */
  #welcomeLater(held: Held, lost: ResyncReason | undefined): void {
    const answer = this.#answers.later();
    const given = (send: () => void): void => this.#spending(() => answer(send));
    this.#snapshotOf(held).then(
      (snapshot) => given(() => this.#welcomeLate(held, snapshot, lost)),
      (error: unknown) => given(() => this.#refuse(held, error)),
    );
  }

  #welcomeLate(held: Held, snapshot: LateFrame, lost: ResyncReason | undefined): void {
    this.#respond('subscribe', held, snapshot);
    // A client that has unsubscribed in the meantime gets a response to each of its two requests.
    if (!this.#isHeld(held)) return;
    if (lost !== undefined) this.#sendResync(lost, held, snapshot.seq);
    this.#sendFrom(snapshot, held);
  }

  /**
   * Sends the snapshot and all frames after it, including those published while the snapshot was
   * being read.
   */
  #sendFrom({ frame, seq }: LateFrame, held: Held): void {
    this.#connection.send(frame);
    this.#replay(seq, held);
  }

  /**
   * Refuses a subscription because the history is behind, is being rebuilt or is overloaded. All
   * three conditions are transient.
   */
  #refuse(held: Held, cause: unknown): void {
    if (!this.#isHeld(held)) {
      this.#respond('subscribe', held);
      return;
    }
    this.#held.delete(held.key);
    this.#leave(held.stream);
    const { stream, subscription } = held;
    const isKnown = cause instanceof HistoryBehindError || cause instanceof HistoryAwayError;
    const message = isKnown
      ? refusal('historyBehind', [cause.asOf.height]).message
      : `The history did not respond in time for ${stream.channel}. Subscribe again`;
    const error: WsError = {
      code: 'INTERNAL',
      message,
      retryAfterMs: RETRY_AFTER_MS,
      subscription,
    };
    this.#connection.send(errorFrame(this.#endpoint, error));
  }

  #snapshotOf({ stream, sub }: Held): Promise<LateFrame> {
    return this.#inTime(stream.lateSnapshot(sub, this.#requester));
  }

  async #inTime<Known>(pending: Promise<Known>): Promise<Known> {
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = this.#connection.timing.after(LATE_MS_MAX, () => reject(new Error('no answer')));
    return await Promise.race([pending, promise]).finally(cancel);
  }

  #isHeld(held: Held): boolean {
    return this.#held.get(held.key) === held;
  }

  /**
   * Checks the number of subscriptions. Groups of best prices are counted separately, because each
   * group can cover fifty books.
   */
  #checkCount(channel: string): WsError | undefined {
    const { bboGroupsMax, subscriptionsMax } = this.#limits;
    if (this.#held.size >= subscriptionsMax) return tooMany('subscriptions', subscriptionsMax);
    if (channel !== 'outcomeBbos') return undefined;
    const groups = [...this.#held.values()].filter(({ stream }) => stream.channel === channel);
    return groups.length < bboGroupsMax ? undefined : tooMany('outcomeBbos groups', bboGroupsMax);
  }

  /**
   * Closes the connection of another client that has more subscriptions. Returns false if there is
   * no such client.
   */
  #closeLargest(): boolean {
    const other = largestFollower(this.#others, this.client);
    if (other === undefined) return false;
    other.#connection.close(
      CLOSE.tryAgainLater,
      'too many streams: the capacity is shared with other clients',
    );
    other.close();
    return true;
  }

  #unsubscribe(frame: Control['frame']): WsError | undefined {
    const { subscription } = frame;
    const identity = this.#channels.identify(subscription);
    if (!identity.ok) return identity.error;
    const held = this.#held.get(identity.key);
    if (held === undefined) return { code: 'NOT_SUBSCRIBED', message: 'Not subscribed' };
    this.#held.delete(identity.key);
    this.#leave(held.stream);
    this.#answers.add(() => this.#respond('unsubscribe', { ...held, subscription }));
    return undefined;
  }

  /**
   * Sends the missed frames unchanged or, if they are no longer available, a resync with the
   * current content.
   */
  #resume(from: StreamPlace, held: Held): void {
    const { stream, sub } = held;
    const reason = stream.refuseResume(from);
    if (reason === undefined) {
      this.#replay(from.seq, held);
      return;
    }
    stream.add(this.#connection, sub);
    this.#resync(reason, held);
  }

  #replay(seq: number, held: Held, past?: Past): void {
    const { stream, sub } = held;
    const resync = (): void => this.#resync('tooOld', held);
    this.#replays.add({ stream, sub, seq, past, resync });
  }

  #resync(reason: ResyncReason, held: Held): void {
    if (held.stream.isLate) {
      this.#resyncLater(reason, held);
      return;
    }
    this.#sendResync(reason, held);
    this.#sendSnapshot('resync', held);
  }

  /**
   * Sends a resync later. The subscription remains, so the snapshot is retried until it succeeds.
   */
  #resyncLater(reason: ResyncReason, held: Held): void {
    held.stream.expect(this.#connection);
    const again = (): void => {
      if (this.#isHeld(held)) this.#resyncLater(reason, held);
    };
    const show = (snapshot: LateFrame): void => {
      if (!this.#isHeld(held)) return;
      this.#sendResync(reason, held, snapshot.seq);
      this.#sendFrom(snapshot, held);
    };
    this.#snapshotOf(held).then(
      (snapshot) => this.#spending(() => show(snapshot)),
      () => this.#connection.timing.after(LATE_RETRY_MS, again),
    );
  }

  #sendResync(reason: ResyncReason, held: Held, seq = held.stream.seq): void {
    const { stream, sub, subscription } = held;
    const data = { sub, subscription, epoch: stream.epoch, seq, reason };
    this.#connection.send(jsonFrame({ channel: 'resync', data }));
  }

  #sendSnapshot(occasion: 'subscribe' | 'resync', { sub, stream }: Held): void {
    const frame = stream.snapshotFrame(occasion, sub);
    if (frame !== undefined) this.#connection.send(frame);
  }

  /**
   * Sends the response. For event channels, it also gives the block, so that a client can resume on
   * another replica.
   */
  #respond(
    method: string,
    held: Held,
    { height = this.#blocks.height, seq = held.stream.seq } = {},
  ): void {
    const { sub, stream, subscription } = held;
    const from = stream.isEventStream && method === 'subscribe' ? { fromHeight: height } : {};
    const data = { method, subscription, sub, epoch: stream.epoch, seq, ...from };
    this.#connection.send(jsonFrame({ channel: 'subscriptionResponse', data }));
  }

  #leave(stream: Stream): void {
    this.#replays.drop(stream);
    stream.remove(this.#connection);
    this.#hub.release(stream);
  }

  #fail(error: WsError): void {
    this.#answers.add(() => this.#connection.send(errorFrame(this.#endpoint, error)));
  }
}

/** Adds the request to the error of a subscribe or unsubscribe request. */
function about(control: Control | WsError, error: WsError): WsError {
  if (!('method' in control)) return error;
  const { frame, method } = control;
  const isOfStream = method === 'subscribe' || method === 'unsubscribe';
  const { subscription } = frame;
  return isOfStream && subscription !== undefined ? { ...error, subscription } : error;
}

function tooMany(what: string, max: number): WsError {
  return { code: 'TOO_MANY_SUBSCRIPTIONS', message: `Too many ${what}: ${max}` };
}

/**
 * Sends responses in the order of the requests. A response that is ready waits for earlier ones
 * that are slow.
 */
class OrderedReplies {
  /** The pending responses in order. The first one is not available yet. */
  #places: { give: (() => void) | undefined }[] = [];

  get length(): number {
    return this.#places.length;
  }

  add(give: () => void): void {
    if (this.#places.length === 0) give();
    else this.#places.push({ give });
  }

  /** Reserves the position of a slow response. The returned function supplies the response. */
  later(): (give: () => void) => void {
    const place: { give: (() => void) | undefined } = { give: undefined };
    this.#places.push(place);
    return (give) => {
      place.give = give;
      this.#work();
    };
  }

  close(): void {
    this.#places = [];
  }

  #work(): void {
    for (;;) {
      const give = this.#places[0]?.give;
      if (give === undefined) return;
      this.#places.shift();
      give();
    }
  }
}

type Follower = {
  readonly client: string;
  readonly subscriptions: number;
};

/**
 * Finds the connection to close when the stream limit is reached: the largest connection of the
 * client with the most subscriptions. Returns undefined unless the requesting client has only a
 * small fraction of that number. Without this rule, a few clients at their limits could keep out
 * all others.
 */
function largestFollower<F extends Follower>(
  followers: Iterable<F>,
  asking: string,
): F | undefined {
  const totals = new Map<string, number>();
  const largest = new Map<string, F>();
  for (const each of followers) {
    const { client, subscriptions } = each;
    totals.set(client, (totals.get(client) ?? 0) + subscriptions);
    if (subscriptions > (largest.get(client)?.subscriptions ?? 0)) largest.set(client, each);
  }
  // The requesting client's count is multiplied too, so that two large clients cannot close each
  // other's connections.
  let [most, count] = [asking, LARGEST_HOLDER_FACTOR * ((totals.get(asking) ?? 0) + 1)];
  for (const [client, total] of totals) if (total > count) [most, count] = [client, total];
  return most === asking ? undefined : largest.get(most);
}
