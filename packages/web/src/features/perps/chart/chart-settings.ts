import { useStored } from '../../../lib/browser.ts';
import { intervalMs, type CandleInterval, type CandlePrice } from '../../../market/candles.ts';
import { indicatorsOf, type Indicator } from './indicators/indicator-kinds.ts';

export const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
export const MORE_INTERVALS = ['3m', '30m', '2h', '12h', '1w'] as const;
export const ALL_INTERVALS = [...INTERVALS, ...MORE_INTERVALS].toSorted(
  (a, b) => intervalMs(a) - intervalMs(b),
);

/** Prices that can be shown as lines in addition to the candles. */
export type Extra = 'mark' | 'oracle';

export const CANDLE_PRICES = ['trade', 'mark', 'oracle'] as const;

export type ChartSettings = {
  readonly interval: CandleInterval;
  readonly price: CandlePrice;
  readonly isLogarithmic: boolean;
  /** True if simulated prices from before the venue's start are shown. */
  readonly withPast: boolean;
  readonly extra: readonly Extra[];
  readonly indicators: readonly Indicator[];
};

const INITIAL: ChartSettings = {
  interval: '1m',
  price: 'trade',
  isLogarithmic: false,
  withPast: false,
  extra: [],
  indicators: [],
};

export type ChangeChart = (change: Partial<ChartSettings>) => void;

/**
 * Returns the settings of a market's chart. A market without settings starts with the most recently
 * changed settings of any market.
 */
export function useChartSettings(market: string, slot: string): [ChartSettings, ChangeChart] {
  const [last, setLast] = useStored<unknown>('chart', INITIAL);
  const [stored, setStored] = useStored<unknown>(`chart${slot}.${market}`, last);
  const settings = settingsOf(stored);
  const change: ChangeChart = (next) => {
    const changed = { ...settings, ...next };
    setStored(changed);
    setLast(changed);
  };
  return [settings, change];
}

/** Returns the valid settings in a stored value, which is untrusted. */
function settingsOf(stored: unknown): ChartSettings {
  const found = typeof stored === 'object' && stored !== null ? stored : {};
  const { extra, indicators, interval, isLogarithmic, price, withPast } = found as Partial<
    Record<keyof ChartSettings, unknown>
  >;
  return {
    interval: ALL_INTERVALS.find((each) => each === interval) ?? INITIAL.interval,
    price: CANDLE_PRICES.find((each) => each === price) ?? INITIAL.price,
    isLogarithmic: isLogarithmic === true,
    withPast: withPast === true,
    extra: Array.isArray(extra) ? EXTRAS.filter((each) => extra.includes(each)) : [],
    indicators: indicatorsOf(indicators),
  };
}

const EXTRAS: readonly Extra[] = ['mark', 'oracle'];
