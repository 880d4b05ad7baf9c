import { type Address, instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { dump, restore } from '../dump/dump.ts';
import { healthOf, isLiquidatable } from '../liquidation/scope.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Command, OrderRequest } from '../messages/command.ts';
import { isInsuranceFund } from '../perp/insurance-fund.ts';
import { actor, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { sign } from '@oddlot/testing/engine/waiting';
import { safeDistance, type Scope, TRAVEL_ONE } from './liquidations.ts';
import type { State } from './state.ts';

/**
 * The traders in the random histories. The index that selects accounts for liquidation must not
 * miss any, and a venue restored during liquidations must behave identically. The traders have
 * cross, isolated and hedged positions with high leverage on three perps with price jumps. After
 * every block, all margin accounts are checked directly: any with a ratio of at most 1 must be in
 * liquidation. Copies are dumped and restored during liquidations and compared for the next 50
 * blocks.
 */
const TRADERS = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => actor(0x9000 + n));
const IDS = [1, 2, 3].map(instrumentId);
const BLOCKS_BESIDE = 50;
const SEEDS = Number(process.env['FUZZ_RUNS'] ?? 12);

type Pick = (below: number) => number;
type Copy = { readonly state: State; left: number };

function openVenue(pick: Pick): Scenario {
  // In two out of three histories, the fund can take over positions.
  const venue = Scenario.open({ accounts: [] });
  const [, second, third] = IDS;
  const perp = PERP;
  venue.block({ type: 'registerPerp', perp: { ...perp, instrumentId: second!, name: 'B-USDC' } });
  const isolated = { instrumentId: third!, name: 'C-USDC', onlyIsolated: true };
  venue.block({ type: 'registerPerp', perp: { ...perp, ...isolated } });
  for (const id of IDS) venue.oracle(1_000_000, id);
  const fund = [0, 20_000_000, 400_000_000][pick(3)] ?? 0;
  if (fund > 0) venue.fund(PARAMETERS.insuranceFundAddress, fund);
  for (const [at, trader] of TRADERS.entries()) {
    venue.fund(trader, at < 6 ? 5_000_000 + pick(60_000_000) : 2_000_000_000);
    if (pick(3) === 0)
      venue.block(sign(venue, trader, { type: 'updatePositionMode', mode: 'hedge' }));
    for (const id of IDS) {
      const leverage = { type: 'updateLeverage', instrumentId: id, leverage: 50 } as const;
      for (const marginMode of ['cross', 'isolated'] as const) {
        venue.block(sign(venue, trader, { ...leverage, marginMode }));
      }
    }
  }
  return venue;
}

function randomCommand(venue: Scenario, pick: Pick): Command {
  const trader = TRADERS[pick(TRADERS.length)] as Address;
  const id = IDS[pick(3)]!;
  const kind = pick(24);
  if (kind === 0) {
    const marginMode = pick(2) === 0 ? 'cross' : 'isolated';
    return sign(venue, trader, { type: 'updateMarginMode', instrumentId: id, marginMode });
  }
  if (kind === 1) {
    return sign(venue, trader, {
      type: 'updateLeverage',
      instrumentId: id,
      leverage: 1 + pick(50),
    });
  }
  if (kind <= 3) {
    const change = { isBuy: pick(2) === 0, amountMicroUsdc: pick(8_000_000) - 4_000_000 };
    return sign(venue, trader, { type: 'updateIsolatedMargin', instrumentId: id, ...change });
  }
  if (kind === 4) {
    return { type: 'setPerp', instrumentId: id, halted: pick(4) === 0, changes: {} };
  }
  if (kind === 5) {
    return {
      type: 'creditFaucet',
      account: trader,
      subAccount: 'perp',
      amountMicroUsdc: pick(9_000_000),
    };
  }
  if (kind === 6) return sign(venue, trader, { type: 'cancelAll' });
  const orders = Array.from({ length: 1 + pick(3) }, () => randomOrder(venue, pick, id));
  return sign(venue, trader, { type: 'placeOrders', orders });
}

function randomOrder(venue: Scenario, pick: Pick, id: (typeof IDS)[number]): OrderRequest {
  const { oracle } = venue.state.perps.get(id)!;
  const offset = (pick(41) - 20) * 1_000;
  return {
    instrumentId: id,
    isBuy: pick(2) === 0,
    reduceOnly: pick(4) === 0,
    price: Math.floor((oracle + offset) / 100) * 100,
    size: 10 + pick(pick(4) === 0 ? 3_000 : 400),
    timeInForce: pick(3) === 0 ? 'ioc' : 'gtc',
  };
}

/** Returns prices for some perps, mostly near the previous price and sometimes with a jump. */
function randomPrices(venue: Scenario, pick: Pick): Command {
  const prices = IDS.filter(() => pick(5) > 0).map((id) => {
    const { oracle } = venue.state.perps.get(id)!;
    const reach = [4, 4, 15, 60, 200][pick(5)]!;
    const moved = Math.floor((oracle * (1_000 + pick(2 * reach + 1) - reach)) / 1_000) + pick(100);
    return { instrumentId: id, oracle: Math.min(Math.max(moved, 300_000), 3_000_000) };
  });
  return { type: 'pushOracle', prices, observedMs: timeMs(venue.nowMs) };
}

function scopesOf(state: State): Scope[] {
  return state.accounts.flatMap((account): Scope[] => {
    if (isInsuranceFund(state, account)) return [];
    const isolated = [...account.holdings.values()].filter((each) => each.isIsolated);
    return [{ account, holding: undefined }, ...isolated.map((holding) => ({ account, holding }))];
  });
}

/**
 * Checks that every margin account with a ratio of at most 1 is in liquidation. Changes through
 * deleveraging count only from the next block.
 */
function expectNoneMissed(state: State, { events }: BlockResult): void {
  const deleveraged = new Set(
    events.flatMap((event) => (event.type === 'deleveraged' ? [event.account] : [])),
  );
  for (const scope of scopesOf(state)) {
    if (!isLiquidatable(healthOf(state, scope)) || state.liquidations.has(scope)) continue;
    expect([...deleveraged], `${scope.account.address} is missed`).toContain(scope.account.address);
  }
}

function play(seed: number, seen: Map<string, number>): void {
  const pick = randomIntegers(seed);
  const venue = openVenue(pick);
  let copies: Copy[] = [];
  for (let i = 0; i < 160; i++) {
    if (pick(3) > 0) venue.wait(pick(40) === 0 ? 31_000 + pick(3_600_000) : pick(2_500));
    const commands = [
      ...(pick(3) > 0 ? [randomPrices(venue, pick)] : []),
      ...Array.from({ length: pick(4) }, () => randomCommand(venue, pick)),
    ];
    const result = venue.block(...commands);
    expectNoneMissed(venue.state, result);
    const block = { height: result.height, timeMs: result.timeMs, commands };
    for (const copy of copies) {
      expect(applyBlock(copy.state, block).digest, `a copy at block ${i}`).toBe(result.digest);
      copy.left -= 1;
      if (copy.left === 0) expect(dump(copy.state)).toEqual(dump(venue.state));
    }
    copies = copies.filter(({ left }) => left > 0);
    if (venue.state.liquidations.size > 0 && copies.length < 3 && pick(4) === 0) {
      const state = restore(JSON.parse(JSON.stringify(dump(venue.state))));
      copies.push({ state, left: BLOCKS_BESIDE });
    }
    for (const event of result.events) {
      const what = event.type === 'liquidationStep' ? event.step : event.type;
      seen.set(what, (seen.get(what) ?? 0) + 1);
    }
  }
}

describe('R-liquidation: no endangered account is missed in random histories', () => {
  test('no endangered margin account is missed, and a restored venue behaves identically', () => {
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      try {
        play(seed, seen);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
    for (const what of ['cancel', 'market', 'insurance', 'adl', 'deleveraged', 'fundingPaid']) {
      expect(seen.get(what) ?? 0, what).toBeGreaterThan(Math.min(10, SEEDS / 6));
    }
  });
});

describe('the safe distance of a margin account is never too long', () => {
  // The distance is d = (E − R) / (N + R) = (10 − 1.5) / 101.5 = 8.37%, and 2d / (2 + d) = 8.04%,
  // rounded down.
  test('the safe distance is the relative move that could exhaust the margin, rounded down', () => {
    const distance = safeDistance(10_000_000n, 1_500_000n, 100_000_000n);
    expect(distance).toBe(Math.floor((2 * 8_499_000 * TRAVEL_ONE) / (2 * 101_500_001 + 8_499_000)));
  });

  test('the safe distance is zero if there is no excess margin, and at most one half', () => {
    expect(safeDistance(1_500_000n, 1_500_000n, 100_000_000n)).toBe(0);
    expect(safeDistance(1_500_900n, 1_500_000n, 100_000_000n)).toBe(0);
    expect(safeDistance(900_000_000n, 1_500_000n, 100_000_000n)).toBe(TRAVEL_ONE / 2);
  });
});
