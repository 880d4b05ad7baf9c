import { createReader, type Reader, type SocketStatus } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';

/**
 * The venue that serves this page. One client reads for all screens; those that sign are made by the session.
 * The stores here say whether what is on the screen is live, and what time the venue has.
 */

export type Connection = {
  /** `lost` until every stream that is needed is back; what is shown meanwhile is old. */
  readonly status: 'connecting' | 'open' | 'lost';
  /** By the clock of this machine. */
  readonly lostSinceMs: number | undefined;
  /** A request there and back. */
  readonly latencyMs: number | undefined;
};

export const connection = createStore<Connection>(() => ({
  status: 'connecting',
  lostSinceMs: undefined,
  latencyMs: undefined,
}));

/** A status that passes within this time is not worth a word. */
const PATIENCE_MS = 400;
const PROBE_EVERY_MS = 10_000;
/** The first probe shares the line with all that a page loads; a second one soon knows better. */
const SECOND_PROBE_MS = 1_500;

export const reader: Reader = createReader({
  url: globalThis.location?.origin ?? 'http://127.0.0.1:8690',
  onStreamStatus: () => noteStatus(reader.streams.status),
});

let patience: ReturnType<typeof setTimeout> | undefined;

function noteStatus(status: SocketStatus): void {
  if (status === 'open' || status === 'idle') {
    clearTimeout(patience);
    patience = undefined;
    connection.setState({ status: 'open', lostSinceMs: undefined });
    return;
  }
  const since = Date.now();
  if (patience !== undefined || connection.getState().status === 'lost') return;
  patience = setTimeout(() => {
    patience = undefined;
    connection.setState({ status: 'lost', lostSinceMs: since });
  }, PATIENCE_MS);
}

let offsetMs = 0;

/** The venue's time now, as well as the last probe knows it. */
export function venueNow(): number {
  return Date.now() + offsetMs;
}

/** Asks for the time and the way there, now and every few seconds while somebody looks. */
export function watchVenue(): () => void {
  const probe = async (): Promise<void> => {
    if (document.visibilityState === 'hidden') return;
    const startedMs = performance.now();
    const { blockTime } = await reader.info.stateHash();
    const latencyMs = performance.now() - startedMs;
    // A block is closed at least every second, so the clock is a little ahead of the last one.
    offsetMs = Math.abs(blockTime - Date.now()) < 2_000 ? 0 : blockTime - Date.now();
    connection.setState({ latencyMs });
    // A screen without streams is live when its venue answers.
    if (reader.streams.status === 'idle') noteStatus('idle');
  };
  const again = (): void => void probe().catch(() => connection.setState({ latencyMs: undefined }));
  again();
  const second = setTimeout(again, SECOND_PROBE_MS);
  const timer = setInterval(again, PROBE_EVERY_MS);
  const onWake = (): void => {
    if (document.visibilityState === 'visible') again();
  };
  const onOnline = (): void => reader.streams.reconnect();
  document.addEventListener('visibilitychange', onWake);
  globalThis.addEventListener('online', onOnline);
  return () => {
    clearTimeout(second);
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onWake);
    globalThis.removeEventListener('online', onOnline);
  };
}
