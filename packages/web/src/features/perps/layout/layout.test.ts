import { describe, expect, test } from 'vitest';
import {
  docked,
  layoutOf,
  moved,
  opened,
  PANELS,
  panelsOf,
  resized,
  usualLayout,
  without,
  type LayoutNode,
  type Side,
} from './layout.ts';

const USUAL = usualLayout(false);
const SIDES: readonly Side[] = ['left', 'right', 'above', 'below'];

const row = (...nodes: readonly LayoutNode[]): LayoutNode => ({ split: 'row', nodes });
const column = (...nodes: readonly LayoutNode[]): LayoutNode => ({ split: 'column', nodes });
const [chart, book, tables] = (['chart', 'book', 'tables'] as const).map((panel) => ({ panel }));

describe('the layout of the terminal can be changed', () => {
  test('closing a panel dissolves a row or column left with one panel, and the other panels fill the space', () => {
    const layout = row({ panel: 'chart' }, { ...column(book!, tables!), size: 300 });
    expect(without(layout, 'tables')).toEqual(row(chart!, { panel: 'book', size: 300 }));
    expect(without(layout, 'chart')).toEqual(column(book!, tables!));
    const sized = row(
      { panel: 'chart' },
      { panel: 'book', size: 300 },
      { panel: 'tables', size: 9 },
    );
    expect(without(sized, 'chart')).toEqual(
      row({ panel: 'book', size: undefined }, { panel: 'tables', size: 9 }),
    );
    expect(without({ panel: 'chart' }, 'chart')).toBeUndefined();
  });

  test('a panel swaps places with its neighbour, and moves sideways out of a column', () => {
    expect(moved(row(chart!, book!), 'book', 'left')).toEqual(row(book!, chart!));
    expect(moved(row(chart!, book!), 'book', 'right')).toEqual(row(chart!, book!));
    const nested = row(chart!, column(book!, tables!));
    expect(panelsOf(moved(nested, 'tables', 'left'))).toEqual(['chart', 'tables', 'book']);
    expect(panelsOf(moved(nested, 'tables', 'right'))).toEqual(['chart', 'book', 'tables']);
    expect(moved(row(chart!, book!), 'book', 'below')).toEqual(
      column({ panel: 'chart', size: undefined }, { panel: 'book', size: 240 }),
    );
  });

  test('a panel can be placed on each side of another panel', () => {
    const layout = row(chart!, book!, tables!);
    const place = (side: Side) => panelsOf(docked(layout, 'chart', { beside: 'book', side }));
    expect(SIDES.map((side) => place(side).join(' '))).toEqual([
      'chart book tables',
      'book chart tables',
      'chart book tables',
      'book chart tables',
    ]);
  });

  test('no sequence of moves, closings and openings loses or duplicates a panel', () => {
    let layout: LayoutNode = opened(USUAL, 'chart2');
    const all = panelsOf(layout).toSorted();
    for (let step = 0; step < 600; step++) {
      const panel = PANELS[step % PANELS.length]!;
      const side = SIDES[(step * 7) % 4]!;
      if (step % 5 === 0) layout = opened(without(layout, panel) ?? layout, panel);
      else if (step % 3 === 0) {
        layout = docked(layout, panel, { beside: PANELS[(step * 11) % 6]!, side });
      } else layout = moved(layout, panel, side);
      expect(panelsOf(layout).toSorted()).toEqual(all);
      expect(layoutOf(JSON.parse(JSON.stringify(layout)))).toBeDefined();
    }
  });

  test('a node is resized by its path', () => {
    const layout = row(chart!, column(book!, tables!));
    expect(resized(layout, [1, 0], 90)).toEqual(
      row(chart!, column({ panel: 'book', size: 90 }, tables!)),
    );
  });

  test('an invalid stored layout is ignored', () => {
    expect(layoutOf(JSON.parse(JSON.stringify(USUAL)))).toEqual(USUAL);
    const invalid = [
      null,
      'row',
      { panel: 'casino' },
      row(chart!),
      row(chart!, chart!),
      { split: 'diagonal', nodes: [chart, book] },
      row(chart!, { panel: 'casino' } as never),
    ];
    expect(invalid.map(layoutOf)).toEqual(invalid.map(() => undefined));
    expect(layoutOf({ panel: 'chart', size: -4 })).toEqual({ panel: 'chart' });
  });
});
