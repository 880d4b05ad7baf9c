import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ACTIONS } from '../actions/registry.ts';
import { EXPORTS } from '../info/export-requests.ts';
import { INFO_QUERIES } from '../info/registry.ts';
import { SERVICE_REQUESTS } from '../info/service-requests.ts';
import { CHANNELS } from '../streams/channels.ts';
import { toWireError } from '../to-wire-error.ts';
import { ACTION_SHAPES } from './action-shapes.ts';
import { API_WS_SHAPES, WS_SHAPES } from './channel-shapes.ts';
import { checkShape, fieldsOf, isObjectShape, type Shape } from './shape.ts';
import { INFO_SHAPES } from './info-shapes.ts';
import { EXPORT_SHAPES, SERVICE_SHAPES } from './service-shapes.ts';
import { shapeOf } from './shape-of.ts';

type Schema = (typeof ACTIONS)['order']['schema'];

const schemasOf = (table: object): Map<string, Schema> =>
  new Map(Object.entries(table).map(([name, entry]) => [name, entry.schema ?? entry]));

const TABLES: readonly (readonly [string, Map<string, Schema>, Readonly<Record<string, Shape>>])[] =
  [
    ['actions', schemasOf(ACTIONS), ACTION_SHAPES],
    ['queries', schemasOf(INFO_QUERIES), INFO_SHAPES],
    ['channels of /ws', schemasOf(CHANNELS.ws), WS_SHAPES],
    ['channels of /api-ws', schemasOf(CHANNELS['api-ws']), API_WS_SHAPES],
    ['other requests', schemasOf(SERVICE_REQUESTS), SERVICE_SHAPES],
    ['exports', schemasOf(EXPORTS), EXPORT_SHAPES],
  ];

test.each(TABLES)(
  'the generated shapes of %s match the schemas (npm run write-shapes)',
  (_, schemas, shapes) => {
    const expected = [...schemas].map(([name, schema]) => [name, shapeOf(schema)]);
    expect(shapes).toEqual(Object.fromEntries(expected));
  },
);

const ODD: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  5_000_000_000,
  '',
  'perps',
  'GTC',
  '1e3',
  '0x12',
  `0x${'aB'.repeat(20)}`,
  [],
  [1],
  Array.from({ length: 1001 }, () => 'x'),
  {},
];

/** Generates a value that fits a shape, and occasionally an unusual one. */
function valueOf(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: fitting(shape) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD) },
  );
}

function fitting(shape: Shape): fc.Arbitrary<unknown> {
  if (isObjectShape(shape)) {
    const fields = fieldsOf(shape).map(({ name, shape: field, isOptional }) => {
      const value = valueOf(field);
      return [name, isOptional ? fc.option(value, { nil: undefined }) : value] as const;
    });
    return fc.record(Object.fromEntries(fields));
  }
  if (typeof shape === 'string') return fc.constant(SAMPLES[shape]);
  switch (shape[0]) {
    case 'list':
      return fc.array(valueOf(shape[1]), { minLength: Math.max(1, shape[2]), maxLength: 3 });
    case 'enum':
      return fc.constantFrom(...shape[1]);
    case 'is':
      return fc.constantFrom(...shape.slice(1));
    case 'integer':
      return fc.constant(Math.max(shape[1] ?? 1, 1));
  }
}

const SAMPLES = {
  any: 'x',
  never: undefined,
  boolean: true,
  text: 'text',
  decimal: '1.5',
  address: `0x${'11'.repeat(20)}`,
  hash: `0x${'22'.repeat(32)}`,
  id: '7',
  object: {},
};

describe.each(TABLES)('the shapes of %s', (_, schemas, shapes) => {
  test('the schema rejects every request that a shape rejects, with the same message', () => {
    let refused = 0;
    const cases = fc
      .constantFrom(...schemas.keys())
      .chain((name) => fc.tuple(fc.constant(name), fitting(shapes[name]!)));
    fc.assert(
      fc.property(cases, ([name, request]) => {
        const found = checkShape(shapes[name]!, request);
        if (found === undefined) return;
        refused += 1;
        const parsed = schemas.get(name)!.safeParse(request);
        expect(parsed.success).toBe(false);
        const errors = parsed.error!.issues.map((issue) => toWireError([issue], request));
        expect(errors).toContainEqual(found);
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(10);
  });
});
