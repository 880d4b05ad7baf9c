import { type Address, instrumentId, type InstrumentId } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { CommandResult } from '../messages/block.ts';
import type { OrderRequest, PlaceOrdersCommand } from '../messages/command.ts';
import type { EngineEvent } from '../messages/event.ts';
import { perpView } from '../read/read.ts';
import {
  anyCommand,
  changeConditions,
  HEDGED,
  ISOLATED,
  ONE_WAY,
  openEverything,
  settle,
  signedFor,
} from '@oddlot/testing/engine/any-command';
import type { Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { simulateCommand } from './simulate-command.ts';
import { tradeCapacityAt } from './trade-capacity-at.ts';

/**
 * The number of random histories, with positions, resting orders and moving books. Between steps,
 * an order of the size returned for a price and an order with one more lot are simulated. The first
 * must pass in full; the second must fail, or be cut short by lack of margin. Some of the orders
 * are executed afterwards.
 */
const SEEDS = Math.ceil(Number(process.env['FUZZ_RUNS'] ?? 100) / 25);
const STEPS = 150;
const RICH = 5_000_000_000;
const POOR = 60_000_000;

type Pick = (below: number) => number;
type Asked = { readonly user: Address; readonly order: OrderRequest; readonly most: number };

/** Returns a limit in ticks from the mark, usually near it, or undefined for a market order. */
function limitOf(mark: number, tick: number, pick: Pick): number | undefined {
  const reach = [0, 3, 30, 300, 2_500][pick(5)] ?? 0;
  if (reach === 0) return undefined;
  return (Math.floor(mark / tick) + pick(2 * reach + 1) - reach) * tick;
}

function ask({ state }: Scenario, pick: Pick): Asked | undefined {
  const user = [ONE_WAY, ISOLATED, HEDGED][pick(3)]!;
  const id: InstrumentId = instrumentId(1 + pick(2));
  const definition = state.perps.get(id)?.definition;
  const mark = perpView(state, id)?.mark;
  if (mark === undefined || definition === undefined) return undefined;
  const { maxLimitOrderSize, maxMarketOrderSize, priceTick } = definition;
  const limit = limitOf(mark, priceTick, pick);
  const isBuy = pick(2) === 0;
  const capacity = tradeCapacityAt(state, user, id, { buy: limit, sell: limit });
  const size = (isBuy ? capacity?.maxBuy : capacity?.maxSell) ?? 0;
  const shared = { instrumentId: id, isBuy, size, reduceOnly: false };
  const market = isBuy ? Number.MAX_SAFE_INTEGER : priceTick;
  const order: OrderRequest =
    limit === undefined
      ? { ...shared, price: market, timeInForce: 'market' }
      : { ...shared, price: limit, timeInForce: 'gtc' };
  return { user, order, most: limit === undefined ? maxMarketOrderSize : maxLimitOrderSize };
}

function commandOf(scenario: Scenario, { order, user }: Asked, size: number): PlaceOrdersCommand {
  return {
    type: 'placeOrders',
    authority: signedFor(scenario, user, scenario.authority(user)),
    orders: [{ ...order, size }],
  };
}

/**
 * Returns the reason an order did not pass in full: its rejection, or the part that margin stopped.
 */
function stopOf(
  { entries: [entry] = [], reject }: CommandResult,
  events: readonly EngineEvent[],
): string | undefined {
  const refused = reject ?? entry?.reject;
  if (refused !== undefined) return refused.reason;
  const own = events.filter((event) => event.type === 'orderUpdated');
  const last = own.findLast(({ order }) => order.orderId === entry?.orderId);
  return last?.cancelCause === 'marginCanceled' ? last.cancelCause : undefined;
}

function simulated(scenario: Scenario, asked: Asked, size: number): string | undefined {
  const command = commandOf(scenario, asked, size);
  const { events, outcome } = simulateCommand(scenario.state, asked.user, command);
  return stopOf(outcome, events);
}

test('R-initial, R-fill-check: an order for the full capacity at a price passes in full, and one more lot does not', () => {
  const stops = new Map<string, number>();
  let answered = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const funds of [RICH, POOR]) {
      const scenario = openEverything(funds);
      const pick = randomIntegers(seed);
      for (let step = 0; step < STEPS; step++) {
        changeConditions(scenario, pick);
        if (!settle(scenario)) continue;
        const asked = ask(scenario, pick);
        if (asked === undefined) continue;
        const { order } = asked;
        const where = JSON.stringify({ seed, funds, step, order });
        if (order.size > 0) {
          answered += 1;
          expect(simulated(scenario, asked, order.size), where).toBeUndefined();
        }
        const more = simulated(scenario, asked, order.size + 1);
        if (order.size > 0) expect(more, where).toBeDefined();
        stops.set(more ?? 'none', (stops.get(more ?? 'none') ?? 0) + 1);
        if (order.size > 0 && pick(6) === 0) {
          const { events, outcomes } = scenario.block(commandOf(scenario, asked, order.size));
          expect(stopOf(outcomes[0]!, events), where).toBeUndefined();
        } else {
          scenario.block(anyCommand(scenario, pick).command);
        }
      }
    }
  }
  expect(answered).toBeGreaterThan(SEEDS * STEPS);
  for (const stop of ['marginInsufficient', 'marginCanceled', 'gated']) {
    expect(stops.get(stop) ?? 0, `${stop} of ${JSON.stringify([...stops])}`).toBeGreaterThan(0);
  }
});
