import { type Address, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import type { BuilderTerms, Command } from '../messages/command.ts';
import type { TradeSide } from '../messages/event.ts';
import { openOrders } from '../read/read.ts';
import { earned } from '@oddlot/testing/engine/builders';
import { actor, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { act, checkRestarts, sign } from '@oddlot/testing/engine/waiting';

/**
 * In the histories, poor and rich traders with cross and isolated margin use two builders, one of
 * which never has the balance to earn fees. A model that shares no code with the engine applies the
 * rules: approvals, chargeable orders, and a fee of the rate times all fills of an order in a role,
 * rounded down. The scenario checks conservation.
 */

type Pick = (bound: number) => number;

const SEEDS = Array.from({ length: Number(process.env['FUZZ_RUNS'] ?? 4) }, (_, n) => n + 1);
const TRADERS = [0x7001, 0x7002, 0x7003, 0x7004].map(actor);
const FUNDS = [60_000_000, 1_000_000_000, 1_000_000_000, 10_000_000_000];
const rich = actor(0xb111d);
const poor = actor(0xb222d);
const FEES = [0, 1, 7, 33, 100, 101];

class Model {
  readonly #approved = new Map<string, number>();
  readonly #orders = new Map<number, BuilderTerms>();
  readonly #traded = new Map<string, { sum: bigint; paid: bigint }>();
  paid = 0n;
  /** The numbers of fills with and without a builder fee, by role. */
  readonly counts = { taker: 0, maker: 0, dropped: 0 };

  approve(trader: Address, builder: Address, feeTenthsBp: number | undefined): void {
    this.#approved.set(trader + builder, feeTenthsBp ?? 0);
  }

  placed(trader: Address, orderId: number, terms: BuilderTerms): void {
    if (terms.feeTenthsBp > 0 && this.#allows(trader, terms)) this.#orders.set(orderId, terms);
  }

  filled(side: TradeSide, role: 'taker' | 'maker', value: bigint): void {
    const terms = this.#orders.get(side.orderId);
    const paid = side.builderFee?.amount ?? 0n;
    this.paid += paid;
    if (terms === undefined || terms.address === poor || !this.#allows(side.account, terms)) {
      expect(side).not.toHaveProperty('builderFee');
      if (terms !== undefined) this.counts.dropped += 1;
      return;
    }
    const key = `${side.orderId} ${role}`;
    const traded = this.#traded.get(key) ?? { sum: 0n, paid: 0n };
    traded.sum += value;
    traded.paid += paid;
    this.#traded.set(key, traded);
    expect(traded.paid).toBe((traded.sum * BigInt(terms.feeTenthsBp)) / 100_000n);
    this.counts[role] += 1;
  }

  #allows(trader: Address, { address, feeTenthsBp }: BuilderTerms): boolean {
    return feeTenthsBp <= Math.min(100, this.#approved.get(trader + address) ?? 0);
  }
}

function anyCommand(scenario: Scenario, pick: Pick): Command {
  const trader = TRADERS[pick(4)]!;
  const builder = pick(4) === 0 ? poor : rich;
  const price = 1_000_000 + (pick(21) - 10) * 100;
  const [first] = openOrders(scenario.state, trader);
  const target = { orderId: first?.orderId ?? 0 };
  switch (pick(16)) {
    case 0: {
      const tenthsBp = FEES[1 + pick(4)]!;
      const rate = { maxFeeE8: tenthsBp * 1_000 + pick(999), maxFeeText: 'x%' };
      return sign(scenario, trader, { type: 'approveBuilder', builder, ...rate });
    }
    case 1:
      return sign(scenario, trader, { type: 'revokeBuilder', builder });
    case 2:
      return sign(scenario, rich, { type: 'claimBuilderRewards' });
    case 3:
    case 4: {
      const { instrumentId } = PERP;
      const size = 20 + pick(300);
      return sign(scenario, trader, { type: 'modifyOrder', instrumentId, target, price, size });
    }
    case 5: {
      const cancels = [{ instrumentId: PERP.instrumentId, ...target }];
      return sign(scenario, trader, { type: 'cancelOrders', cancels });
    }
    case 6: {
      const prices = [{ instrumentId: PERP.instrumentId, oracle: 985_000 + pick(30_000) }];
      return { type: 'pushOracle', prices, observedMs: timeMs(scenario.nowMs) };
    }
    default: {
      const shape = {
        isBuy: pick(2) === 0,
        price,
        size: 11 + pick(300),
        reduceOnly: pick(6) === 0,
      };
      const terms = { address: builder, feeTenthsBp: FEES[pick(6)]! };
      return sign(scenario, trader, {
        type: 'placeOrders',
        orders: [order(shape)],
        builder: terms,
      });
    }
  }
}

/**
 * Updates the model with a block. Its fills belong to orders that were placed earlier or in the
 * same block.
 */
function follow(model: Model, command: Command, { events, outcomes }: BlockResult): void {
  for (const event of events) {
    if (event.type !== 'builderChanged') continue;
    const { maxFeeE8 } = event;
    const tenthsBp = maxFeeE8 === undefined ? undefined : Math.floor(maxFeeE8 / 1_000);
    model.approve(event.account, event.builder, tenthsBp);
  }
  const [{ account, entries } = {}] = outcomes;
  if (command.type === 'placeOrders' && account !== undefined) {
    model.placed(account, entries?.[0]?.orderId ?? 0, command.builder!);
  }
  for (const event of events) {
    if (event.type !== 'tradeExecuted') continue;
    const value = BigInt(event.price) * BigInt(event.size);
    model.filled(event.taker, 'taker', value);
    model.filled(event.maker, 'maker', value);
  }
}

test('R-builder, R-rounding: builders earn the fees that their users paid, rounded as for single fills', () => {
  const seen = { taker: 0, maker: 0, dropped: 0, claimed: 0n };
  for (const seed of SEEDS) {
    const pick = randomIntegers(seed);
    const scenario = Scenario.open({ accounts: [rich] });
    scenario.fund(poor, 99_999_999);
    for (const [at, trader] of TRADERS.entries()) scenario.fund(trader, FUNDS[at]!);
    const { instrumentId } = PERP;
    act(scenario, TRADERS[2]!, { type: 'updateMarginMode', instrumentId, marginMode: 'isolated' });
    const model = new Model();
    for (const trader of TRADERS) {
      const approval = { builder: rich, maxFeeE8: 50_000, maxFeeText: '0.05%' };
      const command = sign(scenario, trader, { type: 'approveBuilder', ...approval });
      follow(model, command, scenario.block(command));
    }
    for (let round = 0; round < 200; round++) {
      if (pick(4) === 0) scenario.wait(pick(1_500));
      const command = anyCommand(scenario, pick);
      follow(model, command, scenario.block(command));
      expect(earned(scenario, rich)).toBe(model.paid);
    }
    expect(earned(scenario, poor)).toBe(0n);
    seen.taker += model.counts.taker;
    seen.maker += model.counts.maker;
    seen.dropped += model.counts.dropped;
    seen.claimed += scenario.state.builderRewards.get(rich)?.claimed ?? 0n;
    if (seed === 1) checkRestarts(scenario);
  }
  expect(Math.min(seen.taker, seen.maker, seen.dropped)).toBeGreaterThan(15);
  expect(seen.claimed).toBeGreaterThan(0n);
});
