import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HistoryDamagedError } from './store-errors.ts';
import { rowPacker } from './packed-rows.ts';
import { decimalOf, decimalText } from './packed-value.ts';

type Row = Readonly<Record<string, unknown>>;

const FIELDS = ['a', 'b', 'c', 'd'];
const packer = rowPacker<Row>({
  fields: [FIELDS],
  split: (row) => [row],
  join: ([row]) => row as Row,
  joinJson: ([row]) => `{${row}}`,
  replaced: [],
});

/** Values that occur in rows, and similar ones. */
const value = fc.oneof(
  fc.constantFrom(
    '0',
    'Buy',
    'filled',
    '',
    '0x',
    '0xab',
    '0xAB',
    '0xabc',
    '-0',
    '1.',
    '.5',
    '00.5',
  ),
  fc.constantFrom(0, -1, 2 ** 51, -(2 ** 51), 2 ** 53, 1.5, true, false, null),
  fc.integer().map((n) => String(n / 1_000)),
  fc.maxSafeInteger(),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  // JSON does not preserve minus zero, so random values are converted once before they are
  // compared.
  fc.jsonValue({ maxDepth: 2 }).map((json): unknown => JSON.parse(JSON.stringify(json))),
);

/** Most fields have values of one kind in all rows. */
const column = fc.oneof(
  fc.array(fc.option(value, { nil: undefined }), { minLength: 70, maxLength: 70 }),
  fc
    .constantFrom('0.5', 7, null, undefined, [])
    .map((one) => Array.from({ length: 70 }, () => one)),
  fc.array(fc.maxSafeInteger(), { minLength: 70, maxLength: 70 }),
  fc.array(fc.constantFrom('Buy', 'Sell', 'x', undefined), { minLength: 70, maxLength: 70 }),
  fc.array(
    fc.integer().map((n) => String(n / 100)),
    { minLength: 70, maxLength: 70 },
  ),
);

const rows = fc
  .tuple(fc.array(column, { minLength: 4, maxLength: 4 }), fc.integer({ min: 1, max: 70 }))
  .map(([columns, count]) =>
    Array.from({ length: count }, (_, at) => {
      const fields = FIELDS.map((name, place) => [name, columns[place]?.[at]] as const);
      const row = Object.fromEntries(fields.filter(([, each]) => each !== undefined));
      const place = {
        timeMs: 1_767_225_600_000 + at,
        height: 7 + at,
        index: at % 3,
        instrumentId: 1,
      };
      return { place, row };
    }),
  );

test('packed rows with any values are restored byte for byte', () => {
  fc.assert(
    fc.property(rows, (packed) => {
      const unpacked = packer.unpack(packer.pack(packed));
      expect(unpacked.places).toEqual(packed.map(({ place }) => place));
      for (const [at, { row }] of packed.entries()) {
        expect(JSON.stringify(unpacked.row(at))).toBe(JSON.stringify(row));
      }
    }),
  );
});

test('the JSON of a packed row equals that of the row, in whatever order rows are read', () => {
  fc.assert(
    fc.property(rows, fc.boolean(), (packed, isRowFirst) => {
      const unpacked = packer.unpack(packer.pack(packed));
      for (const [at, { row }] of packed.entries()) {
        const text = JSON.stringify(row);
        if (isRowFirst) expect(JSON.stringify(unpacked.row(at))).toBe(text);
        expect(unpacked.json(at, '')).toBe(text);
        expect(JSON.stringify(unpacked.row(at))).toBe(text);
      }
    }),
  );
});

test('a row with a field replaced by queries is decoded before it becomes JSON', () => {
  const place = { timeMs: 1, height: 2, index: 3, instrumentId: 4 };
  const replacing = rowPacker<Row>({
    fields: [['a', 'list', 'text']],
    split: (row) => [row],
    join: ([row]) => row as Row,
    joinJson: ([row]) => `{${row}}`,
    replaced: ['list', 'text'],
  });
  const json = (...given: Row[]) => {
    const unpacked = replacing.unpack(replacing.pack(given.map((row) => ({ place, row }))));
    return given.map((_, at) => unpacked.json(at, ',"more":1'));
  };
  const plain = { a: 1, list: [] };
  expect(json(plain)).toEqual(['{"a":1,"list":[],"more":1}']);
  expect(json(plain, { a: 2, list: [{ b: 1 }] }, { a: 3, text: '' })).toEqual([
    '{"a":1,"list":[],"more":1}',
    undefined,
    undefined,
  ]);
});

test('rows with unknown fields or a different field order are restored', () => {
  const place = { timeMs: 1, height: 2, index: 3, instrumentId: 4 };
  for (const row of [{ b: 1, a: 2 }, { e: 1 }, { a: 1, e: { f: [2] } }]) {
    const unpacked = packer.unpack(
      packer.pack([
        { place, row: { a: 1 } },
        { place, row },
      ]),
    );
    expect(JSON.stringify(unpacked.row(1))).toBe(JSON.stringify(row));
  }
});

test('a decimal text is either restored exactly or not encoded as a decimal', () => {
  const text = fc.oneof(
    fc.stringMatching(/^-?[0-9]{1,12}(\.[0-9]{1,9})?$/),
    fc.stringMatching(/^[-+.0-9e]{0,12}$/),
  );
  fc.assert(
    fc.property(text, (each) => {
      const value = decimalOf(each);
      if (value !== undefined) expect(decimalText(value)).toBe(each);
    }),
  );
  expect(decimalOf('-12.345600')).toBeDefined();
});

test('a changed byte in packed rows is detected', () => {
  fc.assert(
    fc.property(rows, fc.nat(), fc.integer({ min: 1, max: 255 }), (packed, place, mask) => {
      const bytes = packer.pack(packed);
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ mask;
      expect(() => packer.unpack(bytes)).toThrow(HistoryDamagedError);
    }),
  );
});
