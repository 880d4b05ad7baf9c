import { expect, test } from 'vitest';
import { byDecimal, sortRows } from './table.tsx';

type Row = { readonly name: string; readonly size: number };

const ROWS: readonly Row[] = [
  { name: 'a', size: 2 },
  { name: 'b', size: 1 },
  { name: 'c', size: 2 },
  { name: 'd', size: 3 },
];
const COLUMNS = [
  { id: 'name' },
  { id: 'size', compare: (left: Row, right: Row) => left.size - right.size },
];

test.each([
  ['upwards', { id: 'size', isDescending: false }, 'bacd'],
  [
    'in descending order, with equal rows in their original order',
    { id: 'size', isDescending: true },
    'dacb',
  ],
  ['not at all by a column without an order', { id: 'name', isDescending: true }, 'abcd'],
  ['not at all by a missing column', { id: 'fee', isDescending: true }, 'abcd'],
  ['not at all without a column', undefined, 'abcd'],
])('rows are sorted %s', (_, sorting, expected) => {
  const sorted = sortRows(ROWS, { columns: COLUMNS, sorting });
  expect(sorted.map(({ name }) => name).join('')).toBe(expected);
  expect(ROWS.map(({ name }) => name).join('')).toBe('abcd');
});

test('rows are sorted by decimal text, and missing numbers count as the smallest', () => {
  const rows = ['10', undefined, '9.5', 'none', '-1'].map((px) => ({ px }));
  const columns = [{ id: 'px', compare: byDecimal(({ px }: { px?: string | undefined }) => px) }];
  const sorted = sortRows(rows, { columns, sorting: { id: 'px', isDescending: true } });
  expect(sorted.map(({ px }) => px)).toEqual(['10', '9.5', '-1', undefined, 'none']);
});
