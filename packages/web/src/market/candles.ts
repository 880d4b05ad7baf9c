import type { Candle, ChannelParameters } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader, venueNow } from './venue.ts';

export type CandleInterval = ChannelParameters<'candle'>['interval'];
export type CandlePrice = NonNullable<ChannelParameters<'candle'>['price']>;

type CandleKey = {
  readonly coin: string;
  readonly interval: CandleInterval;
  readonly price: CandlePrice;
};

const MINUTE_MS = 60_000;
const INTERVAL_MS: Readonly<Partial<Record<CandleInterval, number>>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '2h': 120 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '12h': 720 * MINUTE_MS,
  '1d': 1_440 * MINUTE_MS,
  '1w': 10_080 * MINUTE_MS,
};
export function intervalMs(interval: CandleInterval): number {
  return INTERVAL_MS[interval] ?? MINUTE_MS;
}

/** Weekly candles start on Mondays. 1970-01-05 was a Monday. */
const FIRST_MONDAY_MS = 4 * 1_440 * MINUTE_MS;

export function startOf(timeMs: number, interval: CandleInterval): number {
  const stepMs = intervalMs(interval);
  const origin = interval === '1w' ? FIRST_MONDAY_MS : 0;
  return timeMs - ((timeMs - origin) % stepMs);
}

export const CANDLES_MAX = 1_000;

type CandlesState = {
  readonly candles: readonly Candle[];
  readonly isLoaded: boolean;
  readonly refusal: string | undefined;
};

export const candleSeries = createLive<CandleKey, CandlesState>({
  key: ({ coin, interval, price }) => `${coin} ${interval} ${price}`,
  initial: () => ({ candles: [], isLoaded: false, refusal: undefined }),
  open: ({ coin, interval, price }, store) => {
    const leaving = new AbortController();
    const load = async (): Promise<void> => {
      const stepMs = intervalMs(interval);
      const startTime = Math.max(0, venueNow() - CANDLES_MAX * stepMs);
      const past = await reader.info.candleSnapshot(
        { coin, interval, price, startTime },
        { signal: leaving.signal },
      );
      const { candles } = store.getState();
      store.setState({ candles: merged(past, candles), isLoaded: true, refusal: undefined });
    };
    const again = (): void => {
      load().catch((error: unknown) => {
        if (leaving.signal.aborted) return;
        store.setState({ isLoaded: true, refusal: (error as Error).message });
      });
    };
    const stream = reader.streams.candle({ coin, interval, price }, (event) => {
      if (event.type === 'reset') again();
      else store.setState({ candles: merged(store.getState().candles, [event.data]) });
    });
    again();
    return () => {
      leaving.abort();
      stream.close();
    };
  },
});

/**
 * Returns the changed candles at the end of the list, or undefined if other candles have also
 * changed.
 */
export function changedEnd(
  drawn: readonly Candle[],
  next: readonly Candle[],
): readonly Candle[] | undefined {
  const grown = next.length - drawn.length;
  const [first] = drawn;
  if (first === undefined || grown < 0 || grown > 1) return undefined;
  const isSamePast = drawn.length === 1 ? next[0]?.t === first.t : next[0] === first;
  return isSamePast ? next.slice(-1 - grown) : undefined;
}

export function merged(older: readonly Candle[], newer: readonly Candle[]): readonly Candle[] {
  const first = newer[0];
  if (first === undefined) return older;
  const last = older.at(-1);
  if (newer.length === 1 && last !== undefined && last.t <= first.t) {
    if (last.t === first.t) return older.with(older.length - 1, first);
    return [...older.slice(1 - CANDLES_MAX), first];
  }
  const byTime = new Map([...older, ...newer].map((candle) => [candle.t, candle]));
  return [...byTime.values()].sort((a, b) => a.t - b.t).slice(-CANDLES_MAX);
}
