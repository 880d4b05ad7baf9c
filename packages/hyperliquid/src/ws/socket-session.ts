import type { RateLimiter } from '@oddlot/host/http';
import { TokenBucket } from '@oddlot/host/ports';
import { LIMITS, parseObject } from '@oddlot/protocol';
import type { Coins } from '../coins.ts';
import type { ExchangeAnswer } from '../exchange/answer-exchange.ts';
import { readFields } from '../info/read-query.ts';
import { RefusedError } from '../refused-error.ts';
import type { Requester } from '../venue-access.ts';
import { CHANNELS, type ChannelContext } from './channels.ts';
import { REFUSED_CHANNELS } from './refused-channels.ts';
import { VenueStreams } from './venue-streams.ts';

export type SocketServices = {
  readonly coins: () => Coins;
  readonly limiter: RateLimiter;
  readonly info: (
    requester: Requester,
    body: Readonly<Record<string, unknown>>,
  ) => Promise<unknown>;
  readonly exchange: (requester: Requester, text: string) => Promise<ExchangeAnswer>;
};

type Wire = {
  /** Reports a venue error to the operator. */
  readonly report: (error: unknown) => void;
  readonly send: (text: string) => void;
  readonly close: (code: number, reason: string) => void;
};

type Frame = Readonly<Record<string, unknown>>;

/** The number of accounts whose channels one connection may follow, as on Hyperliquid. */
const USERS_MAX = 10;
/** The maximum number of requests on one connection that are waiting for a response. */
const POSTS_MAX = 100;
const CLOSE_TRY_AGAIN = 1013;
/**
 * The frame rate per connection. The burst allows a client to subscribe to all its channels
 * immediately after a reconnect.
 */
const FRAMES = { perSecond: 40, burst: 1_000 };

type Held = {
  readonly close: () => void;
  /** The account of the channel; undefined for a market's channel. */
  readonly user: string | undefined;
};

export class SocketSession {
  readonly #requester: Requester;
  readonly #services: SocketServices;
  readonly #wire: Wire;
  readonly #context: ChannelContext;
  readonly #budget: TokenBucket;
  /** The subscriptions, by identity. */
  readonly #held = new Map<string, Held>();
  #posts = 0;

  constructor(requester: Requester, services: SocketServices, wire: Wire) {
    this.#requester = requester;
    this.#services = services;
    this.#wire = wire;
    const onLost = (reason: string): void => wire.close(CLOSE_TRY_AGAIN, reason.slice(0, 120));
    this.#context = {
      ...requester,
      coins: services.coins,
      report: wire.report,
      streams: new VenueStreams(requester, { onLost, repeatsLast: true }),
      events: new VenueStreams(requester, { onLost, repeatsLast: false }),
    };
    this.#budget = new TokenBucket(FRAMES, performance.now());
  }

  /** Processes a frame; `text` is undefined for a frame that is not text. */
  receive(text: string | undefined): void {
    const frame = text === undefined ? undefined : frameOf(text);
    if (frame === undefined) return this.#fail('A frame must be a JSON object with a method.');
    const { method } = frame;
    if (method === 'ping') return this.#send({ channel: 'pong' });
    if (!this.#budget.take(1, performance.now())) {
      return this.#fail(`Too many frames. ${JSON.stringify(frame)}`);
    }
    if (method === 'subscribe') return this.#subscribe(frame['subscription']);
    if (method === 'unsubscribe') return this.#unsubscribe(frame['subscription']);
    if (method === 'post') return void this.#post(frame);
    return this.#fail(
      `Unknown method. Use subscribe, unsubscribe, ping or post. ${JSON.stringify(frame)}`,
    );
  }

  close(): void {
    for (const { close } of this.#held.values()) close();
    this.#held.clear();
    this.#context.streams.close();
    this.#context.events.close();
  }

  #subscribe(subscription: unknown): void {
    const echo = JSON.stringify(subscription);
    try {
      const { key, params, type } = identityOf(subscription);
      if (this.#held.has(key)) return this.#fail(`Already subscribed: ${echo}`);
      const { user } = params as { readonly user?: string };
      this.#checkUserLimit(user);
      const channel = channelOf(type);
      const name = channel.frames ?? type;
      let isHeld = true;
      const close = channel.open(this.#context, params as never, {
        ready: () =>
          this.#send({
            channel: 'subscriptionResponse',
            data: { method: 'subscribe', subscription },
          }),
        send: (data) => {
          if (isHeld) this.#send({ channel: name, data });
        },
        fail: (sentence) => {
          this.#held.delete(key);
          this.#fail(`Invalid subscription ${echo}: ${sentence}`);
        },
      });
      const end = (): void => {
        isHeld = false;
        close();
      };
      this.#held.set(key, { close: end, user });
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.#fail(`Invalid subscription ${echo}: ${error.message}`);
    }
    return undefined;
  }

  #checkUserLimit(user: string | undefined): void {
    const { subscriptionsMax } = LIMITS;
    if (this.#held.size >= subscriptionsMax) {
      throw new RefusedError(`a connection has up to ${subscriptionsMax} subscriptions`);
    }
    if (user === undefined) return;
    const users = new Set([...this.#held.values()].flatMap((held) => held.user ?? []));
    if (users.add(user).size > USERS_MAX) {
      throw new RefusedError(`a connection follows up to ${USERS_MAX} users`);
    }
  }

  #unsubscribe(subscription: unknown): void {
    const echo = JSON.stringify(subscription);
    try {
      const { key } = identityOf(subscription);
      const held = this.#held.get(key);
      if (held === undefined) return this.#fail(`Already unsubscribed: ${echo}`);
      this.#held.delete(key);
      held.close();
      const data = { method: 'unsubscribe', subscription };
      this.#send({ channel: 'subscriptionResponse', data });
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.#fail(`Invalid subscription ${echo}: ${error.message}`);
    }
    return undefined;
  }

  async #post(frame: Frame): Promise<void> {
    const { id, request } = frame;
    if (typeof id !== 'number' || !isRecord(request) || !isRecord(request['payload'])) {
      return this.#fail(
        `A post has an id and a request with type and payload. ${JSON.stringify(frame)}`,
      );
    }
    if (this.#posts >= POSTS_MAX) return this.#fail(`Too many pending post requests id=${id}`);
    this.#posts += 1;
    try {
      const response = await this.#answer(request['type'], request['payload']);
      this.#send({ channel: 'post', data: { id, response } });
    } catch (error) {
      const isRefused = error instanceof RefusedError;
      if (!isRefused) this.#wire.report(error);
      const payload = isRefused ? error.message : 'The venue could not answer. Try again.';
      this.#send({ channel: 'post', data: { id, response: { type: 'error', payload } } });
    } finally {
      this.#posts -= 1;
    }
    return undefined;
  }

  async #answer(type: unknown, payload: Frame): Promise<object> {
    if (type !== 'info' && type !== 'action') {
      throw new RefusedError('The type of a post request is info or action.');
    }
    const surface = type === 'info' ? 'info' : 'exchange';
    const { allowed } = this.#services.limiter.take(surface, this.#requester.ip);
    if (!allowed) throw new RefusedError('Too many requests. Retry after a second.');
    if (type === 'action') {
      // Parsing and serialising keeps the order of keys, which the signature covers.
      const answer = await this.#services.exchange(this.#requester, JSON.stringify(payload));
      return { type, payload: answer };
    }
    const data = await this.#services.info(this.#requester, payload);
    return { type, payload: { type: payload['type'], data } };
  }

  #fail(sentence: string): void {
    this.#send({ channel: 'error', data: sentence });
  }

  #send(frame: object): void {
    this.#wire.send(JSON.stringify(frame));
  }
}

/** Refuses duplicate keys and deep nesting, as the HTTP endpoints do. */
function frameOf(text: string): Frame | undefined {
  const parsed = parseObject(text, true);
  return parsed.ok ? parsed.body : undefined;
}

function isRecord(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function channelOf(type: string) {
  if (Object.hasOwn(REFUSED_CHANNELS, type)) throw new RefusedError(REFUSED_CHANNELS[type] ?? '');
  const channel = Object.hasOwn(CHANNELS, type) ? CHANNELS[type] : undefined;
  if (channel !== undefined) return channel;
  throw new RefusedError(`unknown channel; the channels are ${Object.keys(CHANNELS).join(', ')}`);
}

/** Returns a key that is the same for all spellings of a subscription. */
function identityOf(subscription: unknown): { key: string; type: string; params: object } {
  if (!isRecord(subscription) || typeof subscription['type'] !== 'string') {
    throw new RefusedError('a subscription is an object with a type');
  }
  const { type } = subscription;
  const params = readFields(channelOf(type).schema, subscription) as Record<string, unknown>;
  const names = Object.keys(params)
    .filter((name) => !INSIGNIFICANT.has(name))
    .sort();
  const values = names.map((name) => [name, params[name] ?? null] as const);
  const significant = values.filter(([, value]) => value !== null && value !== '');
  return { key: JSON.stringify([type, significant]), type, params };
}

/** The fields that do not affect a subscription. */
const INSIGNIFICANT: ReadonlySet<string> = new Set(['aggregateByTime', 'dex']);
