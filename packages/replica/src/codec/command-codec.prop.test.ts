import { isDeepStrictEqual } from 'node:util';
import type { Command } from '@oddlot/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVERY_COMMAND } from '@oddlot/testing/venue/every-command';
import { EncodingError } from './bytes.ts';
import { decodeCommand, encodeCommand } from './command-codec.ts';

const RUNS = { numRuns: Math.max(1_000, Number(process.env['FUZZ_RUNS'] ?? 0)) };

/** Neither clients nor the venue send these values, but they too must be encoded without loss. */
const ODD_NUMBERS = [0, -0, 1, -1, 0.5, 247, 248, 255, 256, 65_535, 65_536, 2 ** 24, 2 ** 32 - 1];
const LARGE_NUMBERS = [32, 40, 48, 53].flatMap((power) => [
  2 ** power - 1,
  2 ** power,
  -(2 ** power),
]);
const ODD_TEXTS = [
  '',
  '0x',
  '0xA1',
  '0xa',
  '0xag',
  '0x0ı',
  'Ꝛx00',
  'é☀😀',
  '\ud800',
  'a\udc00b',
  'Ā',
];
const LIKELY_TEXTS = [
  `0x${'aB'.repeat(20)}`,
  `0x${'c0f5c1fa'.repeat(8)}`,
  'gtc',
  'none',
  '__proto__',
];
const ODD: readonly unknown[] = [
  ...ODD_NUMBERS,
  ...LARGE_NUMBERS,
  1e300,
  5e-324,
  ...ODD_TEXTS,
  ...LIKELY_TEXTS,
  true,
  false,
  null,
  [],
  {},
  [[]],
  { a: { b: 1 } },
];

const change = fc.record({
  place: fc.nat(60),
  what: fc.constantFrom('set', 'drop', 'add', 'turn', 'undefine'),
  value: fc.oneof(fc.constantFrom(...ODD), fc.jsonValue(), fc.double({ noNaN: true })),
  key: fc.oneof(fc.constantFrom('vault', 'builder', 'grouping', '__proto__', '1'), fc.string()),
});

const changed = fc
  .tuple(
    fc.constantFrom(...Object.values<Command>(EVERY_COMMAND)),
    fc.array(change, { maxLength: 3 }),
  )
  .map(([command, changes]) => {
    const copy = structuredClone(command) as Plain;
    for (const each of changes) alter(copy, structuredClone(each));
    return copy as unknown as Command;
  });

type Plain = Record<string, unknown>;
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Changes one object or list inside a command, usually keeping its type. */
function alter(command: Plain, { key, place, value, what }: Change): void {
  const parts = partsOf(command);
  const part = parts[place % parts.length]!;
  const keys = Object.keys(part);
  const next = Array.isArray(part) ? String(keys.length) : key;
  const own = keys[(place * 7) % Math.max(1, keys.length)] ?? next;
  if (what === 'drop' && !Array.isArray(part)) delete part[own];
  else if (what === 'turn' && !Array.isArray(part)) {
    const entries = Object.entries(part).toReversed();
    for (const each of keys) delete part[each];
    for (const [each, old] of entries) define(part, each, old);
  } else if (what === 'undefine' && !Array.isArray(part)) define(part, own, undefined);
  else if (what === 'add') define(part, next, value);
  else define(part, own, value);
}

function define(part: Plain, key: string, value: unknown): void {
  Object.defineProperty(part, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

function partsOf(value: unknown): Plain[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Plain, ...Object.values(value).flatMap((each) => partsOf(each))];
}

/** Removes keys whose value is undefined, as JSON does. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => defined(each));
  if (typeof value !== 'object' || value === null) return value;
  const result: Plain = {};
  for (const [key, each] of Object.entries(value)) {
    if (each !== undefined) define(result, key, defined(each));
  }
  return result;
}

test('every command is decoded to the same value, including the order of its keys', () => {
  fc.assert(
    fc.property(changed, (command) => {
      const decoded = decodeCommand(encodeCommand(command));
      expect(isDeepStrictEqual(decoded, defined(command))).toBe(true);
      expect(JSON.stringify(decoded)).toBe(JSON.stringify(command));
    }),
    RUNS,
  );
});

test('truncated bytes are rejected, and altered bytes are rejected or decoded as another valid command', () => {
  const damage = fc.tuple(changed, fc.nat(), fc.nat(255), fc.boolean());
  fc.assert(
    fc.property(damage, ([command, place, byte, isCut]) => {
      const bytes = encodeCommand(command);
      const at = place % bytes.length;
      const damaged = isCut ? bytes.subarray(0, at) : Buffer.from(bytes);
      if (!isCut) damaged[at] = byte;
      let decoded: Command;
      try {
        decoded = decodeCommand(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(EncodingError);
        return;
      }
      // Another layer detects altered bytes through a checksum. If altered bytes can be decoded,
      // encoding the result must restore the same command.
      expect(isCut).toBe(false);
      expect(isDeepStrictEqual(decodeCommand(encodeCommand(decoded)), decoded)).toBe(true);
    }),
    RUNS,
  );
});
