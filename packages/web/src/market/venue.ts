import { ApiError, createReader, type Reader } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';
import { inOneDirection } from '../lib/words.ts';

export type Connection = {
  /** The status remains `lost` until the venue responds and all required streams are open again. */
  readonly status: 'connecting' | 'open' | 'lost';
  /** True once the page has received any data. The data is then shown with its time. */
  readonly wasOpen: boolean;
  readonly lostSinceMs: number | undefined;
  readonly nextTryMs: number | undefined;
  readonly limitedUntilMs: number | undefined;
  readonly latencyMs: number | undefined;
  readonly replica: string | undefined;
};

export const connection = createStore<Connection>(() => ({
  status: 'connecting',
  wasOpen: false,
  lostSinceMs: undefined,
  nextTryMs: undefined,
  limitedUntilMs: undefined,
  latencyMs: undefined,
  replica: undefined,
}));

const PATIENCE_MS = 400;
const FIRST_PATIENCE_MS = 5_000;
const PROBE_EVERY_MS = 10_000;
/** The second probe follows soon, because the first one competes with the loading page. */
const SECOND_PROBE_MS = 1_500;
const PROBE_MS_MAX = 4_000;
const PROBE_AGAIN_MS = 3_000;
const LIMITED_MS_MIN = 500;

/**
 * All of the page's connections share one random value, because they reconnect together. Other
 * pages have different values.
 */
const jitter = Math.random();
const url = globalThis.location?.origin ?? 'http://127.0.0.1:8690';

/** Fetches a response and removes direction characters from names chosen by users. */
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
  backoff: { baseMs: 500, maxMs: 6_000, random: () => jitter },
  onStreamStatus: () => note(),
  onRateLimited: noteLimit,
});

/**
 * A reader that returns texts unmodified, for hashes and for values that are sent back to the
 * venue.
 */
export const verbatimReader: Reader = createReader({
  url,
  replicas: reader.replicas,
  onRateLimited: noteLimit,
});

const prober: Reader = createReader({
  url,
  replicas: reader.replicas,
  retriesMax: 0,
  timeoutMs: PROBE_MS_MAX,
});

let patience:
  | { readonly timer: ReturnType<typeof setTimeout>; readonly untilMs: number }
  | undefined;
const opened = new Set<string>();
let isAnswering = true;
let nextProbeMs = 0;

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
    const wasOpen = connection.getState().wasOpen || status === 'open';
    connection.setState({ status: 'open', wasOpen, lostSinceMs: undefined, nextTryMs: undefined });
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
  // Connections may be dead after a machine wakes up or its network returns.
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
    // A clock offset below two seconds is ignored, because blocks are at most one second apart.
    offsetMs = Math.abs(blockTime - Date.now()) < 2_000 ? 0 : blockTime - Date.now();
    connection.setState({ latencyMs: performance.now() - startedMs });
    if (!isAnswering) reader.streams.check();
    isAnswering = true;
  } catch (error) {
    connection.setState({ latencyMs: undefined });
    // A response with status 429 counts as an answer, even if a proxy sent it.
    isAnswering = error instanceof ApiError && error.httpStatus === 429;
  }
}
