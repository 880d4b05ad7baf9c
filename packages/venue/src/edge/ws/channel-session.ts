import { checkJson, jsonRefusal, type ResumePoint, type ScanFault } from '@oddlot/protocol';
import type { Connection } from './connection.ts';
import { jsonFrame } from './frame.ts';
import { Replays } from './replays.ts';
import type { ResyncReason, Stream } from './stream.ts';
import type { StreamHub, StreamRecipe } from './streams.ts';
import { errorFrame, RATE_LIMITED, type Endpoint, type WsError } from './ws-error.ts';
import type { WsLimits } from './ws-limits.ts';

/** What an endpoint serves. */
export interface ChannelSet {
  /** Reads a subscription as it was sent and says how its stream is opened, or why it is not. */
  open(subscription: unknown): Opening;
  /** Reads a subscription as it was sent and says what it is known by. */
  identify(subscription: unknown): Identity;
}

export type Opening =
  | { readonly ok: true; readonly key: string; readonly recipe: StreamRecipe }
  | { readonly ok: false; readonly error: WsError };

export type Identity =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly error: WsError };

/** No ping is longer; longer frames pay before they are read. */
const PING_LENGTH_MAX = 128;

const PONG = jsonFrame({ method: 'PONG' });

type SessionLimits = Pick<WsLimits, 'bboGroupsMax' | 'subscriptionsMax'>;
type Held = { readonly sub: number; readonly stream: Stream };
type Control = { readonly method: string; readonly frame: Readonly<Record<string, unknown>> };

/** The conversation with one client of /ws or /api-ws. */
export class ChannelSession {
  readonly #connection: Connection;
  readonly #endpoint: Endpoint;
  readonly #channels: ChannelSet;
  readonly #hub: StreamHub;
  readonly #limits: SessionLimits;
  /** By what subscriptions are known by, which is what was sent: the state has no say in it. */
  readonly #held = new Map<string, Held>();
  readonly #replays: Replays;
  #lastSub = 0;

  constructor(options: {
    connection: Connection;
    endpoint: Endpoint;
    channels: ChannelSet;
    hub: StreamHub;
    limits: SessionLimits;
  }) {
    this.#connection = options.connection;
    this.#endpoint = options.endpoint;
    this.#channels = options.channels;
    this.#hub = options.hub;
    this.#limits = options.limits;
    this.#replays = new Replays(options.connection);
  }

  /** A text frame came; undefined stands for a frame that was not text. */
  receive(text: string | undefined): void {
    const small = text !== undefined && text.length <= PING_LENGTH_MAX;
    let control: Control | WsError = small ? readControl(text) : INVALID_FRAME;
    if ('method' in control && control.method === 'ping') {
      this.#connection.send(PONG);
      return;
    }
    if (!this.#connection.budget.take()) {
      this.#fail(RATE_LIMITED);
      return;
    }
    if (text !== undefined && !small) control = readControl(text);
    const error = 'method' in control ? this.#obey(control) : control;
    if (error !== undefined) this.#fail(error);
  }

  /** The connection is gone. */
  close(): void {
    for (const { stream } of this.#held.values()) this.#leave(stream);
    this.#held.clear();
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
      default:
        return INVALID_FRAME;
    }
  }

  #subscribe(frame: Control['frame']): WsError | undefined {
    const resumeFrom = readResumeFrom(frame['resumeFrom']);
    if (resumeFrom === 'invalid') {
      return { code: 'INVALID_PARAMS', message: 'Wrong type for resumeFrom' };
    }
    const { subscription } = frame;
    const identity = this.#channels.identify(subscription);
    if (identity.ok && this.#held.has(identity.key)) {
      return { code: 'ALREADY_SUBSCRIBED', message: 'Already subscribed' };
    }
    const opening = this.#channels.open(subscription);
    if (!opening.ok) return opening.error;
    const { key, recipe } = opening;
    const full = this.#checkRoom(recipe.channel);
    if (full !== undefined) return full;
    if (!this.#hub.hasRoom(recipe)) return tooMany('streams', this.#hub.size);
    const stream = this.#hub.take(recipe);
    this.#lastSub += 1;
    const sub = this.#lastSub;
    this.#held.set(key, { sub, stream });
    this.#respond('subscribe', { subscription, sub, stream });
    if (resumeFrom !== undefined) {
      this.#resume(resumeFrom, { subscription, sub, stream });
      return undefined;
    }
    stream.add(this.#connection, sub);
    this.#sendSnapshot('subscribe', { sub, stream });
    return undefined;
  }

  /** Groups of best prices are counted on their own: each may stand for fifty books. */
  #checkRoom(channel: string): WsError | undefined {
    const { bboGroupsMax, subscriptionsMax } = this.#limits;
    if (this.#held.size >= subscriptionsMax) return tooMany('subscriptions', subscriptionsMax);
    if (channel !== 'outcomeBbos') return undefined;
    const groups = [...this.#held.values()].filter(({ stream }) => stream.channel === channel);
    return groups.length < bboGroupsMax ? undefined : tooMany('outcomeBbos groups', bboGroupsMax);
  }

  #unsubscribe(frame: Control['frame']): WsError | undefined {
    const { subscription } = frame;
    const identity = this.#channels.identify(subscription);
    if (!identity.ok) return identity.error;
    const held = this.#held.get(identity.key);
    if (held === undefined) return { code: 'NOT_SUBSCRIBED', message: 'Not subscribed' };
    this.#held.delete(identity.key);
    this.#leave(held.stream);
    this.#respond('unsubscribe', { subscription, ...held });
    return undefined;
  }

  /** The missed frames as they were, or word that they are gone and what holds now. */
  #resume(from: ResumePoint, held: Held & { subscription: unknown }): void {
    const { stream, sub } = held;
    const reason = stream.refuseResume(from);
    if (reason === undefined) {
      const resync = (): void => this.#resync('tooOld', held);
      this.#replays.add({ stream, sub, seq: from.seq, resync });
      return;
    }
    stream.add(this.#connection, sub);
    this.#resync(reason, held);
  }

  #resync(reason: ResyncReason, held: Held & { subscription: unknown }): void {
    const { stream, sub, subscription } = held;
    const { epoch, seq } = stream;
    const data = { sub, subscription, epoch, seq, reason };
    this.#connection.send(jsonFrame({ channel: 'resync', data }));
    this.#sendSnapshot('resync', held);
  }

  #sendSnapshot(occasion: 'subscribe' | 'resync', { sub, stream }: Held): void {
    const frame = stream.snapshotFrame(occasion, sub);
    if (frame !== undefined) this.#connection.send(frame);
  }

  #respond(method: string, held: Held & { subscription: unknown }): void {
    const { sub, stream, subscription } = held;
    const data = { method, subscription, sub, epoch: stream.epoch, seq: stream.seq };
    this.#connection.send(jsonFrame({ channel: 'subscriptionResponse', data }));
  }

  #leave(stream: Stream): void {
    this.#replays.drop(stream);
    stream.remove(this.#connection);
    this.#hub.release(stream);
  }

  #fail(error: WsError): void {
    this.#connection.send(errorFrame(this.#endpoint, error));
  }
}

const INVALID_FRAME: WsError = {
  code: 'INVALID_FRAME',
  message: 'A frame is a JSON object with method subscribe, unsubscribe or ping',
};

function tooMany(what: string, max: number): WsError {
  return { code: 'TOO_MANY_SUBSCRIPTIONS', message: `Too many ${what}: ${max}` };
}

function readControl(text: string): Control | WsError {
  const checked = checkJson(text);
  if (!checked.ok) return unreadable(text, checked);
  const frame: unknown = JSON.parse(text);
  if (!isRecord(frame) || typeof frame['method'] !== 'string') return INVALID_FRAME;
  return { method: frame['method'], frame };
}

/** JSON that the interface does not take is told what is wrong with it. */
function unreadable(text: string, fault: ScanFault): WsError {
  const { message } = jsonRefusal(text, fault);
  const isJson = !message.startsWith('Malformed');
  return isJson ? { code: 'INVALID_FRAME', message } : INVALID_FRAME;
}

function readResumeFrom(value: unknown): ResumePoint | undefined | 'invalid' {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) return 'invalid';
  const { epoch, seq } = value;
  if (typeof epoch !== 'string' || typeof seq !== 'number') return 'invalid';
  return Number.isSafeInteger(seq) && seq >= 0 ? { epoch, seq } : 'invalid';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
