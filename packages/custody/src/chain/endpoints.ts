import { boundedFetch } from '@oddlot/host/bounded-json';
import { createClient, custom, http, type Transport } from 'viem';

export type ChainEndpoint = {
  /** A name to show to operators, without any keys that the URL contains. */
  readonly name: string;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
};

/** The size limit for a response. The logs of a long range can be large. */
const ANSWER_BYTES_MAX = 10_000_000;

/**
 * Returns the endpoint at a URL. It does not retry; that is up to the caller. The time limit covers
 * the whole response. The library's own limit covers only its first line, so a stalled response
 * would never time out.
 */
export function urlEndpoint(url: string, timeoutMs: number): ChainEndpoint {
  const fetchFn = boundedFetch(ANSWER_BYTES_MAX) as typeof fetch;
  return endpointOf(hostOf(url), http(url, { timeout: timeoutMs, retryCount: 0, fetchFn }));
}

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
    /** The endpoint's newest block is behind those of the other endpoints. */
    | 'stale'
    /** None of the other endpoints has this endpoint's newest block. */
    | 'ahead'
    | 'disagrees';
  readonly head: number;
  /** The endpoint's last error, or its last response that contradicted the others. */
  readonly error: string | undefined;
};

export type Ask<Value> = (request: ChainEndpoint['request']) => Promise<Value>;
type Answer<Value> = { readonly watched: Watched; readonly value: Value };
type Watched = {
  readonly endpoint: ChainEndpoint;
  status: EndpointStatus;
  pending: number;
  /**
   * The number of consecutive responses confirmed by other endpoints since the last unconfirmed
   * one.
   */
  agreed: number;
};

/** An endpoint whose head differs by this many blocks is reported to the operator. */
const FAR_BLOCKS = 3;
/** How long to wait for the remaining responses once there are enough, in milliseconds. */
const GRACE_MS = 1_000;
/**
 * An endpoint that returned an unconfirmed response is reported until it has returned this many
 * confirmed ones.
 */
const AGREED_AGAIN = 20;

/**
 * Queries several endpoints of one chain at the same time, until enough of them return the same
 * value. An unavailable or slow endpoint briefly delays a single query. After that, it is queried
 * on the side, one query at a time, until it has recovered.
 */
export class EndpointPool {
  /** The required number of responses: two if there are at least two endpoints. */
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

  /**
   * Queries all endpoints except those whose head is known to be lower. Throws if too few respond.
   */
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
        fail(each, `no response within ${GRACE_MS} ms after the others`);
      }
    }
    const answers = asked.flatMap((each) =>
      round.answers.filter(({ watched }) => watched === each),
    );
    if (answers.length >= Math.max(1, least)) return answers;
    throw unavailable(round, least);
  }

  /**
   * Returns the value that was returned by enough endpoints and by more than half of those that
   * responded. An endpoint that differs is reported to the operator and otherwise has no effect.
   * Without a majority, a ChainDisagreementError is thrown.
   */
  agree<Value>(name: string, answers: readonly Answer<Value>[]): Value | undefined {
    const byAnswer = Map.groupBy(answers, ({ value }) => textOf(value));
    const groups = [...byAnswer.values()].sort((a, b) => b.length - a.length);
    const [most = [], ...others] = groups;
    const isMajority = 2 * most.length > answers.length;
    const error = `endpoints disagree about ${name}`;
    if (isMajority && (most.length >= this.quorum || others.length === 0)) {
      for (const { watched } of others.flat()) contradict(watched, error);
      for (const { watched } of most) confirm(watched);
      return most[0]?.value;
    }
    if (most.length === 0) return undefined;
    // The client cannot determine which of the endpoints is wrong.
    const contradicting = groups.flatMap(([first]) => first ?? []);
    for (const { watched } of contradicting) contradict(watched, error);
    const names = contradicting.map(({ watched }) => watched.endpoint.name);
    throw new ChainDisagreementError(`${error}: ${names.join(' and ')}`);
  }

  /**
   * Returns the newest block that enough endpoints have, and records which endpoints are far from
   * it.
   */
  judgeHeads(answers: readonly Answer<number>[]): number {
    const head = this.reachedBy(answers);
    // If there are only two heads and they differ, it is unknown which is correct. The lower one is
    // more likely to be wrong.
    const highest = Math.max(0, ...answers.map(({ value }) => value));
    const newest = answers.length > this.quorum ? head : highest;
    for (const { value, watched } of answers) {
      const { error, name, state } = watched.status;
      const next = distanceState(value - newest) ?? (state === 'disagrees' ? state : 'ok');
      watched.status = { name, head: value, state: next, error: next === 'ok' ? undefined : error };
    }
    return head;
  }

  /**
   * Returns the highest number that enough endpoints have reached, for numbers that never decrease.
   */
  reachedBy(answers: readonly Answer<number>[]): number {
    const highestFirst = answers.map(({ value }) => value).sort((a, b) => b - a);
    return highestFirst[this.quorum - 1] ?? 0;
  }

  /**
   * Returns the median, for numbers that differ between honest endpoints. The median of two numbers
   * is the lower one.
   */
  median(answers: readonly Answer<bigint>[]): bigint {
    const lowestFirst = answers.map(({ value }) => value).sort((a, b) => (a < b ? -1 : 1));
    return lowestFirst[Math.floor((lowestFirst.length - 1) / 2)] ?? 0n;
  }
}

type Round<Value> = { readonly answers: Answer<Value>[]; failure: unknown };

/** Queries one endpoint and records the result in the round. The promise never rejects. */
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
    // A revert is a result from the chain, not a failure of the endpoint.
    if (revertOf(error) === undefined) fail(watched, chainFault(error));
  } finally {
    clearTimeout(timer);
    watched.pending -= 1;
  }
}

/** Waits until all queries have settled, or for a short time once there are enough responses. */
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

/**
 * Thrown if too few endpoints responded. The query is retried later, and nothing is assumed in the
 * meantime.
 */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';
}

/**
 * Thrown if endpoints contradict each other although only one response can be correct. None of the
 * responses is accepted.
 */
export class ChainDisagreementError extends Error {
  override readonly name = 'ChainDisagreementError';
}

/** Thrown if the chain executed or simulated a call and refused it. */
export class ChainRevertError extends Error {
  override readonly name = 'ChainRevertError';
  /** The contract's revert data, unchanged. */
  readonly data: string | undefined;

  constructor(message: string, data: string | undefined) {
    super(message);
    this.data = data;
  }
}

/** Returns an endpoint's error in one line, without the text of the request. */
export function chainFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const short = 'shortMessage' in error ? String(error.shortMessage) : error.message;
  const details = 'details' in error ? String(error.details) : '';
  return details === '' || short.includes(details) ? short : `${short} ${details}`;
}

/**
 * Returns the revert error, which endpoints nest at different depths, or undefined for other
 * errors.
 */
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
