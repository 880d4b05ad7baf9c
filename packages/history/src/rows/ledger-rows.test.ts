import { TIMER } from '@oddlot/engine';
import { microUsdc } from '@oddlot/units';
import { beforeEach, expect, test } from 'vitest';
import { ALICE, BOB, TestVenue } from '@oddlot/testing/venue/ws/test-venue';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { LedgerRecord } from './block-rows.ts';
import { LedgerRows } from './ledger-rows.ts';

/** Collects all records. A row that is replaced keeps the position of its first version. */
class Ledger {
  readonly #rows = new LedgerRows();
  readonly records = new Map<string, LedgerRecord>();

  onBlock(block: AppliedBlock): void {
    for (const record of this.#rows.take(venue.state, block).ledger) {
      this.records.set(`${record.first.height} ${record.first.index}`, record);
    }
  }

  /**
   * Returns a copy as it would be after a restart: rows come from a store, pending withdrawals from
   * a snapshot.
   */
  restarted(): Ledger {
    const other = new Ledger();
    for (const [key, record] of this.records) other.records.set(key, record);
    other.#rows.restore(JSON.parse(JSON.stringify(this.#rows.dump())));
    return other;
  }
}

let venue: TestVenue;
let ledger: Ledger;
let last: AppliedBlock | undefined;

beforeEach(() => {
  venue = TestVenue.open();
  ledger = new Ledger();
  venue.onBlock((block) => {
    last = block;
    ledger.onBlock(block);
  });
});

/** Returns a user's rows, newest first, of one sub-account or of both. */
function rows(user: string, accountType?: 'perp' | 'outcome', of = ledger) {
  const isAsked = (record: LedgerRecord): boolean =>
    accountType === undefined || record.accountTypes.includes(accountType);
  return [...of.records.values()]
    .filter((record) => record.user === user && isAsked(record))
    .map(({ row }) => row)
    .toReversed();
}

/** A fall to 95.2 bankrupts alice and closes bob's short against her position. */
function liquidate(): void {
  for (const size of [1000, 900]) {
    venue.order(BOB, { sell: true, price: 100, size });
    venue.order(ALICE, { buy: true, price: 100, size });
  }
  venue.order(ALICE, { buy: true, price: 50, size: 1 });
  venue.oracle(95.2);
}

test('a liquidation has one row per step, with the figures that caused the step', () => {
  liquidate();
  const found = rows(ALICE);
  expect(
    found.map(({ delta }) => (delta.type === 'liquidation' ? delta.step : delta.type)),
  ).toEqual(['send', 'adl', 'market', 'cancel']);
  expect(found[2]).toMatchObject({
    time: venue.state.timeMs,
    hash: last?.hash,
    delta: {
      type: 'liquidation',
      liquidatedNtlPos: '180880',
      leverageType: 'Cross',
      liquidatedPositions: [{ coin: 'BTC-USDC', szi: '1900' }],
      markPx: '95.2',
    },
  });
  const delta = found[2]?.delta;
  if (delta?.type !== 'liquidation') throw new Error('not a liquidation');
  expect(Number(delta.accountValue)).toBeGreaterThan(0);
  expect(Number(delta.maintenanceMargin)).toBeCloseTo(180_880 * 0.01 - 100 * 95.2 * 0.005, 6);
});

test('R-liquidation: the remaining equity paid to the insurance fund has a row', () => {
  liquidate();
  const [row] = rows(ALICE);
  const fund = venue.state.parameters?.insuranceFundAddress;
  expect(row?.delta).toMatchObject({ type: 'send', user: ALICE, destination: fund, fee: '0' });
  expect(rows(fund ?? '')[0]?.delta).toMatchObject({ type: 'receive', user: ALICE });
});

test('an account whose position was closed by auto-deleveraging receives a ledger row', () => {
  liquidate();
  const [row] = rows(BOB);
  expect(row?.delta).toMatchObject({
    type: 'adl',
    instrumentId: 1,
    coin: 'BTC-USDC',
    sz: '1900',
    px: expect.stringMatching(/^94\./),
    closedPnl: expect.stringMatching(/^\d+/),
  });
});

test('each faucet credit has a row in the ledger of its sub-account', () => {
  venue.credit(ALICE, 'outcome', 7);
  venue.credit(ALICE, 'perp', 8);
  const faucet = (amount: string) => ({ type: 'faucet', amount, token: 'USDC' });
  const deltas = (of?: 'perp' | 'outcome') => rows(ALICE, of).map(({ delta }) => delta);
  expect(deltas()).toEqual([faucet('8'), faucet('7')]);
  expect(deltas('perp')).toEqual([faucet('8')]);
  expect(deltas('outcome')).toEqual([faucet('7')]);
  expect(rows(BOB)).toEqual([]);
});

test('if a transfer opens an account, its ledger row shows the fee to the sender', () => {
  const event = {
    type: 'tokenSent',
    commandIndex: TIMER,
    account: ALICE,
    destination: BOB,
    amount: microUsdc(5_000_000),
    fee: microUsdc(1_000_000),
    from: 'perp',
    to: 'perp',
  } as const;
  if (last === undefined) throw new Error('no block');
  ledger.onBlock({ ...last, result: { ...last.result, events: [event] } });
  const fees = [ALICE, BOB].map((user) => rows(user)[0]?.delta);
  expect(fees).toMatchObject([
    { type: 'send', amount: '5', fee: '1' },
    { type: 'receive', amount: '5', fee: '0' },
  ]);
});

test('snapshots include pending withdrawals, and later changes update the same rows', () => {
  venue.credit(ALICE);
  const between = { destination: ALICE, token: 0, amountMicroUsdc: 1, from: 'perp' } as const;
  venue.signed(ALICE, { type: 'sendToken', ...between, to: 'outcome' });
  venue.signed(ALICE, { type: 'withdraw', destination: BOB, amountMicroUsdc: 5_000_000 });
  const other = ledger.restarted();
  venue.onBlock((block) => other.onBlock(block));
  expect(rows(ALICE, undefined, other)).toEqual(rows(ALICE));
  venue.apply([{ type: 'settleWithdrawal', withdrawalId: 1, paid: true }]);
  const [withdrawal, transfer] = rows(ALICE, undefined, other);
  expect(withdrawal?.delta).toMatchObject({ type: 'withdraw', status: 'completed' });
  expect(rows(ALICE, 'outcome', other)).toEqual([transfer]);
  expect(rows(ALICE, undefined, other)).toEqual(rows(ALICE));
});
