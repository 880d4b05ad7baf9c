import { describe, expect, test } from 'vitest';
import {
  changeDrawings,
  drawingsOf,
  newDrawing,
  ratioLevels,
  redoDrawing,
  undoDrawing,
  withDrawing,
  withPoint,
  type Drawing,
} from './drawing.ts';

const line: Drawing = {
  id: 'a',
  kind: 'line',
  points: [
    { timeMs: 0, price: '100' },
    { timeMs: 60_000, price: '200' },
  ],
};

describe('a new drawing is placed in the visible range', () => {
  const about = { id: 'n', markPx: '97000', nowMs: 3_600_500, stepMs: 60_000, tick: '0.1' };
  test('a new drawing is placed around the mark, on the grid of price ticks and candles', () => {
    expect(newDrawing('line', about).points).toEqual([
      { timeMs: 1_800_000, price: '96970.9' },
      { timeMs: 3_600_000, price: '97029.1' },
    ]);
  });
  test('a new price level has one point', () => {
    expect(newDrawing('level', about).points).toEqual([{ timeMs: 3_600_000, price: '97029.1' }]);
  });
});

test('new retracement levels start at the end of the move', () => {
  expect(ratioLevels({ ...line, kind: 'ratio' }).map(({ price }) => price)).toEqual([
    '200',
    '176.4',
    '161.8',
    '150',
    '138.2',
    '121.4',
    '100',
  ]);
});

test('changes are undone and redone, and the steps of a drag count as one change', () => {
  const last = { now: [] as readonly Drawing[] };
  const change = (next: (all: readonly Drawing[]) => readonly Drawing[], step?: string): void =>
    changeDrawings('M', (all) => (last.now = next(all)), step);
  const seen = (): readonly Drawing[] => {
    change((all) => all);
    undoDrawing('M');
    return last.now;
  };
  change((all) => withDrawing(all, line));
  for (const price of ['7', '8', '9']) {
    change((all) => withPoint(all, 'a', 1, { timeMs: 1, price }), 'a 1');
  }
  undoDrawing('M');
  expect(seen()).toEqual([line]);
  redoDrawing('M');
  undoDrawing('M');
  undoDrawing('M');
  expect(seen()).toEqual([]);
  undoDrawing('M');
  expect(seen()).toEqual([]);
});

describe('stored drawings are validated', () => {
  test('stored drawings are restored, and their points can be moved', () => {
    const moved = withPoint([line], 'a', 1, { timeMs: 1, price: '7' });
    expect(drawingsOf(JSON.stringify(moved))).toEqual(moved);
    expect(moved[0]!.points).toEqual([line.points[0], { timeMs: 1, price: '7' }]);
  });

  test.each([
    [null],
    ['{'],
    ['{}'],
    ['[null,7,{}]'],
    ['[{"id":"a","kind":"line","points":[{"timeMs":1,"price":"1"}]}]'],
    ['[{"id":"a","kind":"level","points":[{"timeMs":1,"price":"-1"}]}]'],
    ['[{"id":"a","kind":"level","points":[{"timeMs":0.5,"price":"1"}]}]'],
    [
      '[{"id":"a","kind":"level","points":[{"timeMs":1,"price":"1"}],"style":{"colour":9,"width":1,"dash":"solid"}}]',
    ],
    ['[{"id":"a","kind":"script","points":[{"timeMs":1,"price":"1"}]}]'],
  ])('the invalid stored text %s contains no drawings', (text) => {
    expect(drawingsOf(text)).toEqual([]);
  });

  test('stored drawings are limited in number, and the oldest are removed first', () => {
    const all = Array.from({ length: 50 }, (_, at) => ({ ...line, id: String(at) }));
    const remaining = all.reduce<readonly Drawing[]>(withDrawing, []);
    expect([remaining.length, remaining[0]?.id]).toEqual([40, '10']);
  });
});
