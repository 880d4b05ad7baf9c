import type { Command } from '@oddlot/engine';
import { instrumentId, timeMs } from '@oddlot/units';
import { keccak256, stringToHex } from 'viem';
import { afterAll, describe, expect, test } from 'vitest';
import { removeTemporaryData } from '../support/venue-process.ts';
import type { Json } from '../support/client.ts';
import { GRID, listing, ControlledReplica, testAddress } from './controlled-replica.ts';

/**
 * Interrupts settlements at various points and checks that each holder of shares is paid once and
 * in full, whatever a crash leaves on disk. A replica runs on a real journal with a controlled
 * clock.
 */

const START_MS = 1_767_225_600_000;
const ID = instrumentId(100_000);
const USDC = 1_000_000;
const opened: ControlledReplica[] = [];

afterAll(async () => {
  for (const each of opened) await each.close();
  await removeTemporaryData();
});

function keep(venue: ControlledReplica): ControlledReplica {
  opened.push(venue);
  return venue;
}

const credit = (number: number): Command => ({
  type: 'creditFaucet',
  account: testAddress(number),
  subAccount: 'outcome',
  amountMicroUsdc: 10 * USDC,
});

/** Returns an order that buys five shares of an outcome. The price is in cents. */
function buys(
  venue: ControlledReplica,
  number: number,
  leg: 'yes' | 'no',
  cents: number,
  id = ID,
): Command {
  const order = { instrumentId: id, isBuy: leg === 'yes', price: cents * 100, size: 500 };
  return {
    type: 'placeOrders',
    authority: venue.authority(testAddress(number)),
    orders: [{ ...order, reduceOnly: false, timeInForce: 'gtc' }],
  };
}

/** Returns an account's outcome balance, in micro-USDC. */
function moneyOf({ state }: ControlledReplica, number: number): bigint | undefined {
  const index = state.accountIndex.get(testAddress(number));
  return index === undefined ? undefined : state.accounts[index]?.outcomeBalance;
}

/**
 * A block pays a thousand holders, so the settlement takes several blocks and can be interrupted.
 */
const HOLDERS = process.env['TEST_LONG'] === undefined ? 10_000 : 50_000;

describe(`a market with ${HOLDERS} holders settles completely`, () => {
  const FIRST = 1_000;
  /**
   * The resolution pays 0.25 per YES share. Half of the accounts bought 5 YES for 3.00. The others
   * bought 5 NO for 2.00 plus a fee of 0.084.
   */
  const YES = BigInt(10 * USDC - 3 * USDC + 1.25 * USDC);
  const NO = BigInt(10 * USDC - 2 * USDC - 84_000 + 3.75 * USDC);

  async function full(): Promise<ControlledReplica> {
    const venue = keep(await ControlledReplica.open({ nowMs: START_MS, snapshotEveryBlocks: 100 }));
    await venue.all(listing(START_MS));
    const numbers = Array.from({ length: HOLDERS }, (_, at) => FIRST + at);
    await venue.all(numbers.map(credit));
    const orders = numbers.map((number) =>
      number % 2 === 0 ? buys(venue, number, 'yes', 60) : buys(venue, number, 'no', 40),
    );
    await venue.all(orders);
    await venue.all([{ type: 'setTrading', instrumentIds: [ID], to: 'closed' }]);
    return venue;
  }

  const isSettled = ({ state }: ControlledReplica) => state.outcomes.settled.has(ID);
  const leftOf = ({ state }: ControlledReplica) => state.outcomes.markets.get(ID)?.holders.size;

  function expectAllPaid(venue: ControlledReplica): void {
    const wrong: unknown[] = [];
    for (let at = 0; at < HOLDERS; at++) {
      const money = moneyOf(venue, FIRST + at);
      if (money !== (at % 2 === 0 ? YES : NO)) wrong.push([FIRST + at, money]);
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    venue.checkInvariants();
  }

  async function finish(venue: ControlledReplica): Promise<number> {
    let blocks = 0;
    for (; !isSettled(venue); blocks++) await venue.pass(1);
    return blocks;
  }

  test('a settlement interrupted at any block continues after a restart and pays no holder twice', async () => {
    const venue = await full();
    const resolve = { fraction: 2_500, oracleOutcome: null, evidence: null };
    await venue.all([{ type: 'resolveMarket', instrumentId: ID, ...resolve }]);
    const begun = leftOf(venue);
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(HOLDERS);

    // The crash comes after the block with the resolution and interrupts the write of the next
    // block.
    const next = venue.pass(1);
    const first = keep(await venue.crashed());
    await next;
    expect(isSettled(first)).toBe(false);

    // There are two crashes in the middle of the settlement. A snapshot was written before the
    // second one.
    for (let block = 0; block < 3; block++) await first.pass(1);
    const second = keep(await first.crashed({ snapshotEveryBlocks: 3 }));
    expect(second.replica.head.hash).toBe(first.replica.head.hash);
    expect(leftOf(second)).toBe(leftOf(first));
    second.checkInvariants();
    for (let block = 0; block < 3; block++) await second.pass(1);
    const third = keep(await second.crashed());
    expect(isSettled(third)).toBe(false);
    expect(third.replica.head.hash).toBe(second.replica.head.hash);

    expect(await finish(third)).toBeGreaterThan(1);
    expectAllPaid(third);
    // The last crash comes after the settlement, when no work remains.
    const fourth = keep(await third.crashed());
    expect(fourth.replica.head.hash).toBe(third.replica.head.hash);
    await fourth.pass(1_000);
    expectAllPaid(fourth);
  }, 240_000);
});

describe('a series market resolves automatically despite crashes', () => {
  const QUARTER_MS = 900_000;
  const FROM = Math.ceil((START_MS + 120_000) / QUARTER_MS) * QUARTER_MS;
  const TO = FROM + QUARTER_MS;
  const MARKET = ID;

  const series: Command = {
    type: 'registerSeries',
    series: {
      ...GRID,
      slug: 'btc',
      title: 'BTC',
      symbol: 'BTC',
      recurrence: '15m',
      source: 'oracle',
      category: 'crypto',
      tags: [],
      image: null,
      icon: null,
      firstStartMs: timeMs(FROM),
      listAhead: 1,
      enabled: true,
      windowSeconds: 60,
    },
  };

  const price = (ms: number, usdc: number): Command => ({
    type: 'pushPrice',
    prices: [
      { symbol: 'BTC', source: 'oracle', priceE8: usdc * 100_000_000, observedMs: timeMs(ms) },
    ],
  });

  /**
   * Returns a price for every second: around 100 before the start, and around 100.5 before the end.
   */
  const priceAt = (ms: number) =>
    ms < FROM ? 100 + ((ms / 1_000) % 3) - 1 : 100 + ((ms / 1_000) % 2);

  /**
   * Runs a market from before its start until after its resolution, with crashes at the given
   * times.
   */
  async function run(crashes: readonly number[]): Promise<ControlledReplica> {
    let venue = keep(
      await ControlledReplica.open({ nowMs: FROM - 70_000, snapshotEveryBlocks: 40 }),
    );
    const waiting = new Set(crashes);
    const at = async (ms: number, ...commands: Command[]): Promise<void> => {
      await venue.pass(ms - venue.nowMs);
      await venue.all(commands);
      if (!waiting.delete(ms)) return;
      const { hash } = venue.replica.head;
      venue = keep(await venue.crashed({ snapshotEveryBlocks: 40 }));
      expect(venue.replica.head.hash).toBe(hash);
    };
    await at(FROM - 69_000, series, credit(1), credit(2));
    for (let ms = FROM - 65_000; ms < FROM; ms += 1_000) await at(ms, price(ms, priceAt(ms)));
    await at(FROM, buys(venue, 1, 'yes', 60, MARKET));
    await at(FROM + 1, buys(venue, 2, 'no', 40, MARKET));
    for (let ms = TO - 65_000; ms < TO; ms += 1_000) await at(ms, price(ms, priceAt(ms)));
    for (const delayMs of [0, 4_999, 5_000, 5_001, 60_000]) await at(TO + delayMs);
    expect(waiting.size).toBe(0);
    return venue;
  }

  const receiptOf = (venue: ControlledReplica): Json =>
    venue.ask({ type: 'outcomeResolution', instrumentId: MARKET });

  test('crashes before, at and after the resolution do not change the result', async () => {
    const undisturbed = await run([]);
    const windows = [FROM - 30_000, FROM, FROM + 1, TO - 30_000];
    const venue = await run([...windows, TO, TO + 4_999, TO + 5_000, TO + 5_001]);
    expect(receiptOf(venue)).toEqual(receiptOf(undisturbed));
    for (const each of [undisturbed, venue]) {
      // The price rose, so Alice receives 5.00 for the 3.00 she paid, and Bob loses 2.00 and his
      // fee.
      expect([moneyOf(each, 1), moneyOf(each, 2)]).toEqual([12_000_000n, 7_916_000n]);
      each.checkInvariants();
      const { state } = each;
      expect([...state.outcomes.settled.values()].map((each) => each.instrumentId)).toEqual([
        MARKET,
      ]);
      expect(state.outcomes.settling).toEqual([]);
    }
    expect(venue.state.digest.hex()).toBe(undisturbed.state.digest.hex());
  });

  test('R-series: the result can be recomputed from the resolution record', async () => {
    const { receiptHash, ...receipt } = receiptOf(await run([TO - 1_000, TO + 5_000]));
    const seconds = (end: number) => Array.from({ length: 60 }, (_, at) => end - (60 - at) * 1_000);
    const samples = (end: number) => seconds(end).map((t) => ({ t, px: String(priceAt(t)) }));
    const twap = (end: number) => seconds(end).reduce((sum, t) => sum + priceAt(t), 0) / 60;
    expect([twap(FROM), twap(TO)]).toEqual([100, 100.5]);
    expect(receipt).toEqual({
      instrumentId: MARKET,
      resolutionStatus: 'resolved',
      settlementFraction: '1',
      winningOutcome: 'Yes',
      resolvedTime: TO + 5_000,
      block: expect.any(Number),
      by: 'series',
      txHash: null,
      oracleOutcome: 'Up',
      evidence: null,
      inputs: {
        symbol: 'BTC',
        source: 'oracle',
        windowMs: 60_000,
        strike: '100',
        settle: '100.5',
        strikeSamples: samples(FROM),
        settleSamples: samples(TO),
        formula: expect.any(String),
      },
    });
    expect(receiptHash).toBe(keccak256(stringToHex(JSON.stringify(receipt))));
  });
});
