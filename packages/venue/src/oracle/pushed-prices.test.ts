import { type Command, perpView } from '@oddlot/engine';
import { hash, instrumentId, timeMs } from '@oddlot/units';
import { beforeEach, describe, expect, test } from 'vitest';
import { ReferencePrices } from '@oddlot/translate/read-models/reference-prices';
import { testKey } from '@oddlot/testing/venue/http/client';
import { ADMIN_KEY_BYTE, BTC, TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { PushedPrices, simulatedOracle } from './perp-oracle.ts';
import { SimulatedPrices } from './simulated-prices.ts';

/**
 * Tests of simulated prices while an operator is pushing other prices. The clock advances in steps
 * of one second.
 */

/** Prices are in units of 10^-6 USDC. */
const PENNY = { id: instrumentId(4), first: 12_000 };

let replica: TestReplica;
let underWay: Command[];
let pushed: PushedPrices;
let nonce: number;
let seed: number;

beforeEach(() => {
  replica = new TestReplica();
  underWay = [];
  pushed = new PushedPrices({ replica, underWay: () => underWay });
  nonce = replica.nowMs;
  seed = 1;
});

const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;

const operator = () => ({
  signer: testKey(ADMIN_KEY_BYTE).address,
  nonce: (nonce += 1),
  txHash: hash(`0x${'0'.repeat(64)}`),
});

function listPenny(): void {
  const perp = { ...BTC, instrumentId: PENNY.id, name: 'PENNY-USDC', baseCurrency: 'PENNY' };
  replica.apply({ type: 'registerPerp', perp: { ...perp, szDecimals: 0 } });
}

const pushOf = (id: number, oracle: number): Command => ({
  type: 'pushOracle',
  operator: operator(),
  prices: [{ instrumentId: instrumentId(id), oracle }],
  observedMs: timeMs(replica.nowMs),
});

const oracleOf = (id: number) => perpView(replica.state, instrumentId(id))?.oracle;

/** Lets the simulation report once per second, and returns the prices of a perp. */
function live(seconds: number, id: number, moves = true): (number | undefined)[] {
  const oracle = simulatedOracle({ moves, pushed, random });
  return Array.from({ length: seconds }, () => {
    replica.nowMs += 1_000;
    const command = oracle(replica.state, replica.nowMs);
    if (command !== undefined) replica.apply(command);
    return oracleOf(id);
  });
}

/** Expects prices within 3% of the centre, which a half-hour walk does not leave. */
function expectNear(prices: readonly (number | undefined)[], centre: number): void {
  const shares = prices.map((price) => (price ?? 0) / centre);
  expect(Math.min(...shares)).toBeGreaterThan(0.97);
  expect(Math.max(...shares)).toBeLessThan(1.03);
}

describe('the simulated oracle for perps respects pushed prices', () => {
  test('the simulated oracle follows a random walk or repeats the last price', () => {
    replica.pushOracle(970_000);
    expect(new Set(live(60, BTC.instrumentId, false))).toEqual(new Set([970_000]));
    expect(new Set(live(60, BTC.instrumentId)).size).toBeGreaterThan(30);
  });

  test('the simulated oracle has no price for a newly listed perp before an operator pushes one', () => {
    listPenny();
    expect(new Set(live(60, PENNY.id))).toEqual(new Set([undefined]));
  });

  test('the simulated oracle walks around the last price pushed by an operator', () => {
    listPenny();
    for (const price of [PENNY.first, PENNY.first * 50, PENNY.first]) {
      replica.apply(pushOf(PENNY.id, price));
      const seen = live(1_500, PENNY.id);
      expectNear(seen, price);
      expect(new Set(seen).size).toBeGreaterThan(20);
    }
  });

  test('a pushed price is not replaced for ten seconds and never becomes stale', () => {
    listPenny();
    replica.apply(pushOf(PENNY.id, PENNY.first));
    expect(new Set(live(9, PENNY.id))).toEqual(new Set([PENNY.first]));
    expect(new Set(live(20, PENNY.id)).size).toBeGreaterThan(5);
  });

  test('the price of a perp listed by the venue also walks around a pushed price', () => {
    replica.apply(pushOf(BTC.instrumentId, 50_000));
    expectNear(live(1_500, BTC.instrumentId), 50_000);
  });

  test('the simulated oracle reports no price for a perp while a pushed price is on its way into the log', () => {
    listPenny();
    replica.apply(pushOf(PENNY.id, PENNY.first));
    live(15, PENNY.id);
    const push = pushOf(PENNY.id, 3 * PENNY.first);
    underWay = [push];
    const command = simulatedOracle({ moves: true, pushed, random })(replica.state, replica.nowMs);
    expect(command?.prices.map((each) => Number(each.instrumentId))).toEqual([1]);
    replica.apply(push);
    if (command !== undefined) replica.apply(command);
    expect(oracleOf(PENNY.id)).toBe(3 * PENNY.first);
  });

  test('the simulated oracle ignores a rejected push', () => {
    listPenny();
    replica.apply(pushOf(PENNY.id, PENNY.first));
    live(15, PENNY.id);
    replica.apply({ ...pushOf(PENNY.id, 1), observedMs: timeMs(1) } as Command);
    expect(pushed.ofPerp(PENNY.id)?.price).toBe(PENNY.first);
    const unsigned = { ...pushOf(PENNY.id, 7), operator: undefined } as unknown as Command;
    replica.apply(unsigned);
    expect(pushed.ofPerp(PENNY.id)?.price).toBe(PENNY.first);
  });
});

describe('simulated reference prices respect pushed prices', () => {
  let prices: ReferencePrices;
  beforeEach(() => {
    prices = new ReferencePrices();
    replica.onBlock((block) => prices.onBlock(block));
  });

  /**
   * Lets the simulation report once per second, and returns the oracle prices of a symbol in USDC.
   */
  function simulate(seconds: number, symbol: string): number[] {
    const feed = new SimulatedPrices({
      symbols: ['BTC', 'XRP'],
      moves: true,
      state: () => replica.state,
      pushed,
      latest: prices.latest.bind(prices),
      random,
    });
    return Array.from({ length: seconds }, () => {
      replica.nowMs += 1_000;
      replica.apply({ type: 'pushPrice', prices: feed.read(replica.nowMs) });
      return (prices.latest(symbol, 'oracle')?.priceE8 ?? 0) / 1e8;
    });
  }

  function pushXrp(usdc: number): void {
    replica.apply({
      type: 'pushPrice',
      operator: operator(),
      prices: [
        {
          symbol: 'XRP',
          source: 'oracle',
          priceE8: usdc * 1e8,
          observedMs: timeMs(replica.nowMs),
        },
      ],
    });
  }

  test('reference prices walk around a price pushed by a deployer, however far it is from the last one', () => {
    simulate(5, 'XRP');
    pushXrp(0.0004);
    expect(new Set(simulate(2, 'XRP'))).toEqual(new Set([0.0004]));
    expectNear(simulate(1_500, 'XRP'), 0.0004);
  });

  test('R-series: every second of a window has a price while a deployer pushes prices', () => {
    simulate(5, 'XRP');
    for (let push = 0; push < 30; push++) {
      pushXrp(5 + push / 10);
      simulate(7, 'XRP');
    }
    const untilMs = replica.nowMs - (replica.nowMs % 1_000);
    expect(prices.twap('XRP', 'oracle', untilMs)?.samples).toBe(60);
  });

  test('a second perp with the same base does not affect the reference price', () => {
    const perp = { ...BTC, instrumentId: PENNY.id, name: 'BTC-PENNY' };
    replica.apply({ type: 'registerPerp', perp });
    replica.apply(pushOf(PENNY.id, 7));
    expect(simulate(3, 'BTC').at(-1)).toBe(100);
  });
});
