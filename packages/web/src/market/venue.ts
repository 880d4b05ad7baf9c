import { ApiError, createReader, type Reader } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';
import { inOneDirection } from '../lib/words.ts';

/**
 * The venue that serves this page. One client reads for all screens; those that sign are made by the session.
 * The stores here say whether what is on the screen is live, and what time the venue has.
 */

export type Connection = {
  /** `lost` until the venue answers and every stream that is needed is back; what is shown meanwhile is old. */
  readonly status: 'connecting' | 'open' | 'lost';
  readonly lostSinceMs: number | undefined;
  /** When the next attempt is made; undefined while one is under way. */
  readonly nextTryMs: number | undefined;
  /** Until when requests wait because the venue asked to slow down. */
  readonly limitedUntilMs: number | undefined;
  readonly latencyMs: number | undefined;
  /** The process of the venue that the page is at, where it has several. */
  readonly replica: string | undefined;
};

export const connection = createStore<Connection>(() => ({
  status: 'connecting',
  lostSinceMs: undefined,
  nextTryMs: undefined,
  limitedUntilMs: undefined,
  latencyMs: undefined,
  replica: undefined,
}));

/** A status that passes within this time is not worth a word; the first connection of a kind takes what it takes. */
const PATIENCE_MS = 400;
const FIRST_PATIENCE_MS = 5_000;
const PROBE_EVERY_MS = 10_000;
/** The first probe shares the line with all that a page loads; a second one soon knows better. */
const SECOND_PROBE_MS = 1_500;
const PROBE_MS_MAX = 4_000;
/** While the venue does not answer. */
const PROBE_AGAIN_MS = 3_000;
/** A shorter wait is over before it is read. */
const LIMITED_MS_MIN = 500;

/** The same for all connections of this page, which are then tried together; other pages have another one. */
const chance = Math.random();
const url = globalThis.location?.origin ?? 'http://127.0.0.1:8690';

/** Names that people gave come with the answers: they are read so that they can't turn what stands beside them. */
async function fetchNames(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  const text = response.text.bind(response);
  response.text = async () => inOneDirection(await text());
  return response;
}

export const reader: Reader = createReader({
  url,
  replicas: 'ask',
  onReplica: noteReplica,
  fetch: fetchNames,
  backoff: { baseMs: 500, maxMs: 6_000, random: () => chance },
  onStreamStatus: () => note(),
  onRateLimited: noteLimit,
});

/** Reads to the letter, for what is hashed or sent back: a label with a sign left out is another label. */
export const letterReader: Reader = createReader({
  url,
  replicas: reader.replicas,
  onRateLimited: noteLimit,
});

/** Asks once, to know at once. */
const prober: Reader = createReader({
  url,
  replicas: reader.replicas,
  retriesMax: 0,
  timeoutMs: PROBE_MS_MAX,
});

let patience:
  | { readonly timer: ReturnType<typeof setTimeout>; readonly untilMs: number }
  | undefined;
/** Kinds of connections that there were: one that is made for the first time was never lost. */
const opened = new Set<string>();
let isAnswering = true;
let nextProbeMs = 0;

/** Shown where the venue has several processes: which of them the page is at. */
function noteReplica(address: string): void {
  connection.setState({ replica: new URL(address).host });
}

export function noteLimit(waitMs: number): void {
  if (waitMs < LIMITED_MS_MIN) return;
  const { limitedUntilMs = 0 } = connection.getState();
  const untilMs = Math.max(limitedUntilMs, Date.now() + waitMs);
  connection.setState({ limitedUntilMs: untilMs });
  setTimeout(() => {
    if (connection.getState().limitedUntilMs === untilMs) {
      connection.setState({ limitedUntilMs: undefined });
    }
  }, untilMs - Date.now());
}

function note(): void {
  const { nextTryInMs, status, statuses } = reader.streams;
  const kinds = Object.entries(statuses);
  for (const [kind, each] of kinds) if (each === 'open') opened.add(kind);
  if (isAnswering && (status === 'open' || status === 'idle')) {
    clearTimeout(patience?.timer);
    patience = undefined;
    connection.setState({ status: 'open', lostSinceMs: undefined, nextTryMs: undefined });
    return;
  }
  const isTrying = Object.values(statuses).includes('connecting');
  const streamsMs = nextTryInMs === undefined ? undefined : Date.now() + nextTryInMs;
  connection.setState({ nextTryMs: isTrying ? undefined : (streamsMs ?? nextProbeMs) });
  if (connection.getState().status === 'lost') return;
  const isFirst =
    (isAnswering || opened.size === 0) &&
    kinds.every(([kind, each]) => each === 'open' || each === 'idle' || !opened.has(kind));
  loseAfter(isFirst ? FIRST_PATIENCE_MS : PATIENCE_MS);
}

function loseAfter(ms: number): void {
  const since = Date.now();
  // What waits for longer may be waiting for something else.
  if (patience !== undefined && patience.untilMs <= since + ms) return;
  clearTimeout(patience?.timer);
  const timer = setTimeout(() => {
    patience = undefined;
    connection.setState({ status: 'lost', lostSinceMs: since });
  }, ms);
  patience = { timer, untilMs: since + ms };
}

let offsetMs = 0;

export function venueNow(): number {
  return Date.now() + offsetMs;
}

/** Does what a person means who presses a button to try now. */
let probeNow: () => void = () => undefined;

export function tryNow(): void {
  reader.streams.check();
  probeNow();
}

export function watchVenue(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let count = 0;
  const plan = (ms: number): void => {
    clearTimeout(timer);
    nextProbeMs = Date.now() + ms;
    timer = setTimeout(() => void round(), ms);
  };
  const round = async (): Promise<void> => {
    count += 1;
    if (document.visibilityState === 'visible') await probe();
    plan(!isAnswering ? PROBE_AGAIN_MS : count === 1 ? SECOND_PROBE_MS : PROBE_EVERY_MS);
    note();
  };
  probeNow = () => void round();
  // A machine that slept, or lost its network, has connections that died without a word.
  const onChange = (): void => {
    if (document.visibilityState === 'visible') tryNow();
  };
  void round();
  const changes = ['online', 'offline', 'visibilitychange'] as const;
  for (const change of changes) globalThis.addEventListener(change, onChange, true);
  return () => {
    clearTimeout(timer);
    for (const change of changes) globalThis.removeEventListener(change, onChange, true);
  };
}

async function probe(): Promise<void> {
  const startedMs = performance.now();
  try {
    const { blockTime } = await prober.info.stateHash();
    // A block is closed at least every second, so the clock is a little ahead of the last one.
    offsetMs = Math.abs(blockTime - Date.now()) < 2_000 ? 0 : blockTime - Date.now();
    connection.setState({ latencyMs: performance.now() - startedMs });
    if (!isAnswering) reader.streams.check();
    isAnswering = true;
  } catch (error) {
    connection.setState({ latencyMs: undefined });
    // Who is asked to wait has been answered, whatever stands in front of the venue and says so.
    isAnswering = error instanceof ApiError && error.httpStatus === 429;
  }
}
