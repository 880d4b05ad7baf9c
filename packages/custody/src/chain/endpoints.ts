import { boundedFetch } from '@oddlot/host/bounded-json';
import { createClient, custom, http, type Transport } from 'viem';

/** One JSON-RPC endpoint of a chain. */
export type ChainEndpoint = {
  /** For operators: without what a URL says of keys. */
  readonly name: string;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
};

/** The logs of a long range can be long; what is longer than this is no answer. */
const ANSWER_BYTES_MAX = 10_000_000;

/**
 * An endpoint by URL. It is asked once: who asks decides whether and when to ask again. The time is that of the whole answer:
 * the library's own ends with the first line of it, and who then sends nothing more would be waited for without end.
 */
export function urlEndpoint(url: string, timeoutMs: number): ChainEndpoint {
  const fetchFn = boundedFetch(ANSWER_BYTES_MAX) as typeof fetch;
  return endpointOf(hostOf(url), http(url, { timeout: timeoutMs, retryCount: 0, fetchFn }));
}

/** An endpoint inside of the process. */
export function localEndpoint(
  name: string,
  rpc: (method: string, params: readonly unknown[]) => Promise<unknown>,
): ChainEndpoint {
  const request = ({ method, params }: { method: string; params?: unknown }): Promise<unknown> =>
    rpc(method, Array.isArray(params) ? params : []);
  return endpointOf(name, custom({ request }, { retryCount: 0 }));
}

function endpointOf(name: string, transport: Transport): ChainEndpoint {
  const client = createClient({ transport });
  const request = client.request as (call: {
    readonly method: string;
    readonly params: readonly unknown[];
  }) => Promise<unknown>;
  return { name, request: (method, params) => request({ method, params }) };
}

function hostOf(url: string): string {
  return new URL(url).host;
}

export type EndpointStatus = {
  readonly name: string;
  readonly state:
    | 'ok'
    | 'down'
    /** Its newest block is behind that of the others. */
    | 'stale'
    /** Its newest block is one that nobody else knows. */
    | 'ahead'
    | 'disagrees';
  readonly head: number;
  /** What it said last when it failed, or what it said that others did not. */
  readonly error: string | undefined;
};

export type Ask<Value> = (request: ChainEndpoint['request']) => Promise<Value>;
type Answer<Value> = { readonly watched: Watched; readonly value: Value };
type Watched = {
  readonly endpoint: ChainEndpoint;
  status: EndpointStatus;
  /** Questions that it has not answered yet. */
  pending: number;
  /** Answers in a row that others gave too, since one that nobody else gave. */
  agreed: number;
};

/** Endpoints whose head is this far from the others' are told to the operator. */
const FAR_BLOCKS = 3;
/** Once enough have answered nobody waits longer than this for the rest. */
const GRACE_MS = 1_000;
/** Who said what nobody else says is told to the operator until it has said as many right things. */
const AGREED_AGAIN = 20;

/**
 * Several endpoints of one chain, asked at once. Enough equal answers do: one that is down or slow costs
 * the others a moment once, and is then asked beside them, one question at a time, until it is well again.
 */
export class EndpointPool {
  /** As many must say something: two where there are two. */
  readonly quorum: number;
  readonly #watched: readonly Watched[];

  constructor(endpoints: readonly ChainEndpoint[]) {
    this.quorum = Math.min(2, endpoints.length);
    this.#watched = endpoints.map((endpoint) => {
      const { name } = endpoint;
      return {
        endpoint,
        status: { name, state: 'ok', head: 0, error: undefined },
        pending: 0,
        agreed: 0,
      };
    });
  }

  get statuses(): readonly EndpointStatus[] {
    return this.#watched.map(({ status }) => status);
  }

  /** Asks everybody whose head is not known to be below; fails when too few answer. */
  async ask<Value>(
    ask: Ask<Value>,
    { head = 0, least = this.quorum }: { readonly head?: number; readonly least?: number } = {},
  ): Promise<readonly Answer<Value>[]> {
    const able = this.#watched.filter(({ status }) => status.head === 0 || status.head >= head);
    const well = able.filter(({ status }) => status.state !== 'down');
    const canDo = well.length >= least;
    const asked = able.filter((each) => !canDo || well.includes(each) || each.pending === 0);
    const round: Round<Value> = { answers: [], failure: undefined };
    const running = new Map(asked.map((each) => [each, askOne(each, ask, round)]));
    const wellRunning = well.flatMap((each) => running.get(each) ?? []);
    if (canDo) await settledOrEnough(wellRunning, () => round.answers.length >= least);
    if (round.answers.length < least) await Promise.all(running.values());
    for (const each of well) {
      if (each.pending > 0 && round.answers.every(({ watched }) => watched !== each)) {
        fail(each, `no answer within ${GRACE_MS} ms of the others`);
      }
    }
    const answers = asked.flatMap((each) =>
      round.answers.filter(({ watched }) => watched === each),
    );
    if (answers.length >= Math.max(1, least)) return answers;
    throw unavailable(round, least);
  }

  /**
   * What enough say alike, and more than half of those who answered: one that says something else is told to the
   * operator and changes nothing. Where there is no such answer nobody is believed.
   */
  agree<Value>(name: string, answers: readonly Answer<Value>[]): Value | undefined {
    const bySaid = Map.groupBy(answers, ({ value }) => textOf(value));
    const groups = [...bySaid.values()].sort((a, b) => b.length - a.length);
    const [most = [], ...others] = groups;
    const isMajority = 2 * most.length > answers.length;
    const error = `endpoints disagree about ${name}`;
    if (isMajority && (most.length >= this.quorum || others.length === 0)) {
      for (const { watched } of others.flat()) contradict(watched, error);
      for (const { watched } of most) confirm(watched);
      return most[0]?.value;
    }
    if (most.length === 0) return undefined;
    // Nobody knows which of them is wrong.
    const told = groups.flatMap(([first]) => first ?? []);
    for (const { watched } of told) contradict(watched, error);
    const names = told.map(({ watched }) => watched.endpoint.name);
    throw new ChainDisagreementError(`${error}: ${names.join(' and ')}`);
  }

  /** The newest block that enough know, and who is far from it. */
  judgeHeads(answers: readonly Answer<number>[]): number {
    const head = this.reachedBy(answers);
    // Of two that differ nobody knows which is right; the one behind is the likelier fault.
    const highest = Math.max(0, ...answers.map(({ value }) => value));
    const newest = answers.length > this.quorum ? head : highest;
    for (const { value, watched } of answers) {
      const { error, name, state } = watched.status;
      const next = distanceState(value - newest) ?? (state === 'disagrees' ? state : 'ok');
      watched.status = { name, head: value, state: next, error: next === 'ok' ? undefined : error };
    }
    return head;
  }

  /** Of numbers that only grow: the highest that enough have come to. */
  reachedBy(answers: readonly Answer<number>[]): number {
    const highestFirst = answers.map(({ value }) => value).sort((a, b) => b - a);
    return highestFirst[this.quorum - 1] ?? 0;
  }

  /** Of numbers that honest endpoints tell differently: the one in the middle, of two the lower one. */
  median(answers: readonly Answer<bigint>[]): bigint {
    const lowestFirst = answers.map(({ value }) => value).sort((a, b) => (a < b ? -1 : 1));
    return lowestFirst[Math.floor((lowestFirst.length - 1) / 2)] ?? 0n;
  }
}

type Round<Value> = { readonly answers: Answer<Value>[]; failure: unknown };

/** Never rejects: what comes of it is in the round. */
async function askOne<Value>(
  watched: Watched,
  ask: Ask<Value>,
  round: Round<Value>,
): Promise<void> {
  const { endpoint } = watched;
  let isLate = false;
  const timer = setTimeout(() => (isLate = true), GRACE_MS);
  watched.pending += 1;
  try {
    const value = await ask((method, params) => endpoint.request(method, params));
    round.answers.push({ watched, value });
    if (watched.status.state === 'down' && !isLate) recover(watched);
  } catch (error) {
    round.failure = error;
    // A revert is an answer of the chain.
    if (revertOf(error) === undefined) fail(watched, chainFault(error));
  } finally {
    clearTimeout(timer);
    watched.pending -= 1;
  }
}

/** Until all have settled, or a moment after there is enough. */
async function settledOrEnough(
  running: readonly Promise<void>[],
  isEnough: () => boolean,
): Promise<void> {
  const { promise: patience, resolve } = Promise.withResolvers<void>();
  let grace: NodeJS.Timeout | undefined = undefined;
  const watched = running.map(async (each) => {
    await each;
    if (isEnough()) grace ??= setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([Promise.all(watched), patience]);
  clearTimeout(grace);
}

function unavailable({ answers, failure }: Round<unknown>, least: number): Error {
  const revert = revertOf(failure);
  if (revert !== undefined) return revert;
  const why = failure === undefined ? 'the others are behind' : chainFault(failure);
  const message = `${answers.length} of the required ${least} endpoints answered: ${why}`;
  return new ChainUnavailableError(message, { cause: failure });
}

function fail(watched: Watched, error: string): void {
  watched.status = { ...watched.status, state: 'down', error };
}

function contradict(watched: Watched, error: string): void {
  watched.agreed = 0;
  watched.status = { ...watched.status, state: 'disagrees', error };
}

function confirm(watched: Watched): void {
  watched.agreed += 1;
  if (watched.status.state === 'disagrees' && watched.agreed >= AGREED_AGAIN) recover(watched);
}

function recover(watched: Watched): void {
  watched.status = { ...watched.status, state: 'ok', error: undefined };
}

function distanceState(blocks: number): 'stale' | 'ahead' | undefined {
  if (blocks >= FAR_BLOCKS) return 'ahead';
  return blocks <= -FAR_BLOCKS ? 'stale' : undefined;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}

/** Too few endpoints answered: asked again later, nothing is known meanwhile. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';
}

/** Two endpoints answered differently where only one answer can be true. Nobody is believed. */
export class ChainDisagreementError extends Error {
  override readonly name = 'ChainDisagreementError';
}

/** The chain executed a call, or would, and refused it. */
export class ChainRevertError extends Error {
  override readonly name = 'ChainRevertError';
  /** What the contract said, as it said it. */
  readonly data: string | undefined;

  constructor(message: string, data: string | undefined) {
    super(message);
    this.data = data;
  }
}

/** What an endpoint threw, in one line without the request's parts. */
export function chainFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const short = 'shortMessage' in error ? String(error.shortMessage) : error.message;
  const details = 'details' in error ? String(error.details) : '';
  return details === '' || short.includes(details) ? short : `${short} ${details}`;
}

/** The data of a revert, if this is one: endpoints tell it in different depths. */
export function revertOf(error: unknown): ChainRevertError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = 'code' in at ? at.code : undefined;
    const text = chainFault(at);
    if (code !== REVERT_CODE && !/execution reverted|\brevert(?:ed)?\b/i.test(text)) continue;
    return new ChainRevertError(text, dataOf(at));
  }
  return undefined;
}

const REVERT_CODE = 3;

function dataOf(error: Error): string | undefined {
  for (let at: unknown = error; typeof at === 'object' && at !== null;) {
    const { cause, data } = at as { readonly cause?: unknown; readonly data?: unknown };
    if (typeof data === 'string') return data;
    at = typeof data === 'object' && data !== null ? data : cause;
  }
  return undefined;
}
