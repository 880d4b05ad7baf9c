import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ArrivalTrace, LaterTrace } from '../rows/block-rows.ts';
import { HistoryDamagedError } from './store-errors.ts';
import { decodeArrivals, decodeEnds, encodeArrivals, encodeEnds } from './trace-rows.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 100);

const price = fc.integer({ min: 0, max: 9_000_000_000 });
const size = fc.integer({ min: 0, max: 1_000_000_000_000 });
const sum = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const ahead = fc.option(sum, { nil: undefined });
const height = fc.integer({ min: 1, max: 2 ** 40 });
const timeMs = fc.integer({ min: 1_700_000_000_000, max: 4_000_000_000_000 });
const book = fc.record({
  bestBid: price,
  bestAsk: price,
  markHalves: fc.integer({ min: 0, max: 18_000_000_000 }),
  oracle: price,
  met: fc.array(fc.record({ price, size }), { maxLength: 50 }),
});
const rest = fc.record({ price, aheadAtStart: ahead });
const taker = fc.record({ lots: sum, notional: sum });
const end = fc.record({ ahead, builderFee: sum });

/** As in decoded traces, the field of a missing value is absent. */
const arrival: fc.Arbitrary<ArrivalTrace> = fc
  .record(
    {
      orderId: fc.integer({ min: 1, max: 2 ** 40 }),
      instrumentId: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      szDecimals: fc.integer({ min: -3, max: 6 }),
      commandIndex: fc.integer({ min: -1, max: 100_000 }),
      hasFills: fc.boolean(),
      received: fc.record({ height, timeMs }),
      entered: book,
      rest,
      taker,
      ended: end,
      txHash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hexOf),
    },
    {
      requiredKeys: ['orderId', 'instrumentId', 'szDecimals', 'commandIndex', 'hasFills'],
    },
  )
  .map((trace) => trace as ArrivalTrace);

const later: fc.Arbitrary<LaterTrace> = fc
  .record(
    {
      entered: fc.record({ height, timeMs, book }),
      rest: fc.record({ price, aheadAtStart: ahead, fromMs: timeMs }),
      taker,
      fills: fc
        .array(fc.tuple(timeMs, height), { minLength: 1, maxLength: 20 })
        .map((blocks) => blocks.flat()),
    },
    { requiredKeys: [] },
  )
  .map((trace) => trace as LaterTrace);

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

test("a block's encoded arrivals are decoded unchanged", () => {
  const property = fc.property(fc.array(arrival, { maxLength: 12 }), (traces) => {
    expect(decodeArrivals(encodeArrivals(traces))).toEqual(traces);
  });
  fc.assert(property, { numRuns: RUNS });
});

test('encoded ends of orders are decoded unchanged', () => {
  const szDecimals = fc.integer({ min: -3, max: 6 });
  const orderId = fc.integer({ min: 1, max: 2 ** 40 });
  const ended = fc.record({ orderId, height, timeMs, szDecimals, trace: later, end });
  const property = fc.property(fc.array(ended, { maxLength: 12 }), (records) => {
    expect(decodeEnds(encodeEnds(records))).toEqual(records);
  });
  fc.assert(property, { numRuns: RUNS });
});

test('a changed byte in encoded traces is detected', () => {
  const place = { orderId: 7, height: 9, timeMs: 1_700_000_000_000, szDecimals: 2 };
  const trace = { taker: { lots: 5, notional: 500 } };
  const bytes = encodeEnds([{ ...place, trace, end: { ahead: 3, builderFee: 0 } }]);
  for (let at = 0; at < bytes.length; at += 1) {
    const flipped = Uint8Array.from(bytes, (byte, where) => (where === at ? byte ^ 4 : byte));
    expect(() => decodeEnds(flipped)).toThrow(HistoryDamagedError);
  }
});
