import type { EngineEvent } from '@oddlot/engine';
import { instrumentId, microUsdc } from '@oddlot/units';
import { beforeEach, expect, test } from 'vitest';
import type { AppliedBlock } from '@oddlot/replica/block';
import { ALICE, BOB, BTC, CAROL, TestVenue } from '@oddlot/testing/venue/ws/test-venue';
import { AccountValues } from './account-values.ts';
import { fillRecords } from './fill-records.ts';

let venue: TestVenue;
let last: AppliedBlock;
beforeEach(() => {
  venue = TestVenue.open();
  venue.onBlock((block) => {
    last = block;
  });
  venue.pass(1_000);
});

const side = {
  clientOrderId: undefined,
  reduceOnly: false,
  startPosition: 0,
  fee: microUsdc(0n),
  realised: microUsdc(0n),
  marginMode: 'cross',
  leverage: 5,
} as const;
const perp = instrumentId(BTC.instrumentId);

/** Alice sells, at 110,000, 1,000 lots that had cost 100 USDC, and pays two fees. */
const closing = (isLiquidation: boolean): EngineEvent => ({
  type: 'tradeExecuted',
  commandIndex: 0,
  tradeId: 1,
  instrumentId: perp,
  price: 110_000,
  size: 1_000,
  takerIsBuy: false,
  isLiquidation,
  taker: {
    ...side,
    account: ALICE,
    orderId: 7,
    reduceOnly: true,
    startPosition: 1_000,
    realised: microUsdc(10_000_000n),
    closedSize: 1_000,
    closedCost: microUsdc(100_000_000n),
    fee: microUsdc(50_000n),
    builderFee: { builder: CAROL, feeTenthsBp: 10, amount: microUsdc(20_000n) },
  },
  maker: { ...side, account: BOB, orderId: 8 },
});

/** The same sale without a book, as in a take-over, deleveraging, netting or settlement. */
const withoutBook: EngineEvent = {
  type: 'positionTraded',
  commandIndex: 0,
  account: ALICE,
  instrumentId: perp,
  size: -1_000,
  price: 110_000,
  startPosition: 1_000,
  realised: microUsdc(10_000_000n),
  marginMode: 'cross',
  leverage: 5,
  closedSize: 1_000,
  closedCost: microUsdc(100_000_000n),
};

const blockWith = (...events: readonly EngineEvent[]): AppliedBlock => ({
  ...last,
  result: { ...last.result, events },
});

test('closedPnl is the realised profit less the fee and the builder fee', () => {
  const [row] = fillRecords(venue.state, blockWith(closing(false))).filter(
    ({ user }) => user === ALICE,
  );
  expect(row?.row).toMatchObject({ fee: '0.05', builderFee: '0.02', closedPnl: '9.93' });
});

test('volume counts only trades on the book, including those from liquidations', () => {
  const volumeOf = (...events: readonly EngineEvent[]) => {
    const values = new AccountValues();
    // The first block counts the initial holdings as deposits, not as volume.
    values.take(venue.state, blockWith());
    values.take(venue.state, blockWith(...events));
    return values.sumsOf(ALICE);
  };
  expect(volumeOf(closing(false))).toMatchObject({ volume: 110_000_000, fees: 70_000 });
  expect(volumeOf(closing(true))).toMatchObject({ volume: 110_000_000, fees: 70_000 });
  expect(volumeOf(withoutBook)).toMatchObject({ volume: 0, fees: 0 });
});
