import type { Candle } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { indicatorsOf, KINDS, newIndicator, type Indicator, type Kind } from './indicator-kinds.ts';
import { IndicatorLines } from './indicator-lines.ts';

const KIND_LIST = Object.keys(KINDS) as Kind[];

function candle(at: number, close: number): Candle {
  const price = (value: number): string => value.toFixed(4);
  const c = price(close);
  return {
    t: at * 60_000,
    o: price(close - 0.3),
    h: price(close + 1),
    l: price(close - 1),
    c,
    v: price(2 + (at % 5)),
  } as Candle;
}

const CANDLES = Array.from({ length: 160 }, (_, at) => candle(at, 100 + 8 * Math.sin(at / 7)));

function made(kind: Kind, changes: Partial<Indicator> = {}): IndicatorLines {
  return new IndicatorLines({ ...newIndicator(kind, 'a', []), ...changes });
}

describe('indicators have the expected lines', () => {
  test('an average has one point per candle from the end of its first period, computed from the chosen price', () => {
    const closes = [1, 2, 3, 4].map((close, at) => candle(at, close));
    const [line] = made('sma', { values: [2] }).all(closes);
    expect(line?.points).toEqual([
      { timeMs: 60_000, value: 1.5 },
      { timeMs: 120_000, value: 2.5 },
      { timeMs: 180_000, value: 3.5 },
    ]);
    const [highs] = made('sma', { values: [2], source: 'high' }).all(closes);
    expect(highs?.points[0]).toEqual({ timeMs: 60_000, value: 2.5 });
  });

  test('bands have three lines, and the average of a constant price is that price', () => {
    const flat = Array.from({ length: 30 }, (_, at) => candle(at, 50));
    const bands = made('bollinger').all(flat);
    expect(bands.map(({ name }) => name)).toEqual(['upper', 'middle', 'lower']);
    expect(bands.map(({ points }) => points.at(-1)?.value)).toEqual([50, 50, 50]);
  });

  test.each(KIND_LIST.filter((kind) => kind !== 'profile'))(
    '%s continues with changed and new candles as if it were computed anew',
    (kind) => {
      const series = made(kind);
      expect(series.all(CANDLES.slice(0, -2)).every(({ points }) => points.length > 0)).toBe(true);
      const moved = candle(CANDLES.length - 3, 120);
      const replaced = [...CANDLES.slice(0, -3), moved];
      series.end([moved]);
      const [last, added] = [CANDLES.at(-3)!, CANDLES.at(-2)!];
      const end = series.end([last, added]);
      const anew = made(kind).all([...replaced.slice(0, -1), last, added]);
      expect(end.map(({ name, points }) => [name, points.length])).toEqual(
        anew.map(({ name }) => [name, 2]),
      );
      end.forEach(({ points }, at) => {
        points.forEach(({ value }, back) => {
          expect(value).toBeCloseTo(anew[at]!.points.at(back - 2)!.value, 6);
        });
      });
    },
  );
});

describe('stored indicators are validated', () => {
  test('invalid indicators are removed from a stored list', () => {
    const valid = newIndicator('macd', 'x', []);
    const invalid = [
      { ...valid, kind: 'toString' },
      { ...valid, values: [12, 26] },
      { ...valid, values: [12, 26, -1] },
      { ...valid, values: [12.5, 26, 9] },
      { ...valid, source: 'volume' },
      { ...valid, colour: 7 },
      'sma',
      null,
    ];
    expect(indicatorsOf([...invalid, valid])).toEqual([valid]);
    expect(indicatorsOf('sma')).toEqual([]);
  });

  test('a new indicator gets a colour that no other indicator has', () => {
    const first = newIndicator('sma', 'a', []);
    const second = newIndicator('sma', 'b', [first]);
    expect([first.colour, second.colour]).toEqual([1, 2]);
  });
});
