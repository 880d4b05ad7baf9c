/** Where an indicator is drawn: over the candles or in a pane below them. */
type Pane = 'price' | 'own';

type KindOptions = {
  readonly pane: Pane;
  /** Names and default values of the settings, in the order of the calculation's arguments. */
  readonly fields: readonly (readonly [name: FieldName, usual: number])[];
  /** True if the indicator is computed from one price per candle, which the user can select. */
  readonly hasSource?: true;
};

type FieldName =
  | 'period'
  | 'fast'
  | 'slow'
  | 'signal'
  | 'smoothing'
  | 'deviations'
  | 'multiplier'
  | 'step'
  | 'most';

const ofPrices = (pane: Pane, period: number): KindOptions => ({
  pane,
  fields: [['period', period]],
  hasSource: true,
});
const ofCandles = (pane: Pane, period: number): KindOptions => ({
  pane,
  fields: [['period', period]],
});

/** All indicators. Their calculations are loaded only for charts that have at least one. */
export const KINDS = {
  sma: ofPrices('price', 20),
  ema: ofPrices('price', 50),
  wma: ofPrices('price', 20),
  rma: ofPrices('price', 14),
  dema: ofPrices('price', 20),
  tema: ofPrices('price', 20),
  hma: ofPrices('price', 20),
  kama: ofPrices('price', 10),
  vwma: ofCandles('price', 20),
  vwap: { pane: 'price', fields: [] },
  bollinger: {
    pane: 'price',
    fields: [
      ['period', 20],
      ['deviations', 2],
    ],
    hasSource: true,
  },
  keltner: {
    pane: 'price',
    fields: [
      ['period', 20],
      ['multiplier', 2],
    ],
  },
  donchian: ofCandles('price', 20),
  ichimoku: {
    pane: 'price',
    fields: [
      ['fast', 9],
      ['period', 26],
      ['slow', 52],
    ],
  },
  supertrend: {
    pane: 'price',
    fields: [
      ['period', 10],
      ['multiplier', 3],
    ],
  },
  psar: {
    pane: 'price',
    fields: [
      ['step', 0.02],
      ['most', 0.2],
    ],
  },
  rsi: ofPrices('own', 14),
  stochasticRsi: ofPrices('own', 14),
  stochastic: {
    pane: 'own',
    fields: [
      ['period', 14],
      ['smoothing', 3],
      ['signal', 3],
    ],
  },
  macd: {
    pane: 'own',
    fields: [
      ['fast', 12],
      ['slow', 26],
      ['signal', 9],
    ],
    hasSource: true,
  },
  cci: ofCandles('own', 20),
  mfi: ofCandles('own', 14),
  williams: ofCandles('own', 14),
  roc: ofPrices('own', 12),
  momentum: ofPrices('own', 10),
  trix: ofPrices('own', 18),
  awesome: {
    pane: 'own',
    fields: [
      ['fast', 5],
      ['slow', 34],
    ],
  },
  atr: ofCandles('own', 14),
  adx: ofCandles('own', 14),
  aroon: ofCandles('own', 14),
  chop: ofCandles('own', 14),
  obv: { pane: 'own', fields: [] },
  cmf: ofCandles('own', 20),
  profile: { pane: 'price', fields: [] },
} as const satisfies Readonly<Record<string, KindOptions>>;

export type Kind = keyof typeof KINDS;

export const SOURCES = ['close', 'open', 'high', 'low', 'hl2', 'hlc3', 'ohlc4'] as const;
export type Source = (typeof SOURCES)[number];

/** The number of theme colours available for lines. */
export const COLOURS = 6;

/** An indicator on a chart. A chart can have several indicators of the same kind. */
export type Indicator = {
  readonly id: string;
  readonly kind: Kind;
  readonly values: readonly number[];
  readonly source: Source;
  /** The number of a theme colour, counted from 1. */
  readonly colour: number;
};

const INDICATORS_MAX = 12;
const VALUE_MAX = 500;

export function optionsOf(kind: Kind): KindOptions {
  return KINDS[kind];
}

export function hasOwnPane({ kind }: Indicator): boolean {
  return optionsOf(kind).pane === 'own';
}

/** Returns an indicator with default settings and the least used colour. */
export function newIndicator(kind: Kind, id: string, others: readonly Indicator[]): Indicator {
  const uses = (colour: number): number => others.filter((each) => each.colour === colour).length;
  const colours = Array.from({ length: COLOURS }, (_, at) => at + 1);
  const colour = colours.toSorted((a, b) => uses(a) - uses(b) || a - b)[0]!;
  const values = optionsOf(kind).fields.map(([, usual]) => usual);
  return { id, kind, values, source: 'close', colour };
}

export function withIndicator(
  indicators: readonly Indicator[],
  changed: Indicator,
): readonly Indicator[] {
  const at = indicators.findIndex(({ id }) => id === changed.id);
  return at < 0
    ? [...indicators, changed].slice(-INDICATORS_MAX)
    : indicators.map((each) => (each.id === changed.id ? changed : each));
}

/**
 * Returns true for a value that a calculation can use. Multipliers and steps do not have to be
 * integers.
 */
export function isValue(name: FieldName, value: number): boolean {
  if (!(value > 0) || value > VALUE_MAX) return false;
  return ['deviations', 'multiplier', 'step', 'most'].includes(name) || Number.isInteger(value);
}

/** Returns the valid indicators in a stored list, which is untrusted. */
export function indicatorsOf(stored: unknown): readonly Indicator[] {
  return Array.isArray(stored) ? stored.filter(isIndicator).slice(-INDICATORS_MAX) : [];
}

function isIndicator(item: unknown): item is Indicator {
  if (typeof item !== 'object' || item === null) return false;
  const { id, kind, source, values, colour } = item as Partial<Record<keyof Indicator, unknown>>;
  if (typeof id !== 'string' || typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) {
    return false;
  }
  const { fields } = optionsOf(kind as Kind);
  return (
    (SOURCES as readonly unknown[]).includes(source) &&
    Number.isInteger(colour) &&
    Number(colour) >= 1 &&
    Number(colour) <= COLOURS &&
    Array.isArray(values) &&
    values.length === fields.length &&
    fields.every(([name], at) => isValue(name, Number(values[at])))
  );
}

/** Returns an indicator's settings as they appear in its name, such as `20, 2`. */
export function settingsText({ kind, source, values }: Indicator): string {
  const shown = optionsOf(kind).hasSource === true && source !== 'close' ? [source] : [];
  return [...values, ...shown].join(', ');
}
