import { instrumentId, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { Command, OrderRequest, TimeInForce } from '../messages/command.ts';
import { openOrders } from '../read/read.ts';
import { actor, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { checkRestarts, sign, waiting } from '@oddlot/testing/engine/waiting';

/**
 * A random number below a bound. The random histories include all kinds of waiting orders and jobs
 * in one small market; the invariants must hold after every block, and a restart before any block
 * must change nothing.
 */
type Pick = (bound: number) => number;

/** `npm run test:long` uses all seeds. */
const SEEDS = process.env['TEST_LONG'] === undefined ? [1, 2] : [1, 2, 3, 4, 5];
const TRADERS = [0x7001, 0x7002, 0x7003, 0x7004].map(actor);
const SECOND = {
  ...PERP,
  instrumentId: instrumentId(2),
  name: 'SECOND-USDC',
  maxMarketOrderSize: 80,
};
const TIMES: readonly TimeInForce[] = ['gtc', 'alo', 'ioc', 'market', 'gtd'];

function one<T>(pick: Pick, from: readonly T[]): T {
  return from[pick(from.length)]!;
}

function near(pick: Pick, ticks = 300): number {
  return 1_000_000 + (pick(2 * ticks + 1) - ticks) * 1_000;
}

function anyOrder(scenario: Scenario, pick: Pick): OrderRequest {
  const timeInForce = one(pick, TIMES);
  return order({
    instrumentId: instrumentId(1 + pick(2)),
    isBuy: pick(2) === 0,
    price: near(pick, 60),
    size: 15 + pick(200),
    reduceOnly: pick(5) === 0,
    timeInForce,
    ...(timeInForce === 'gtd' ? { expireMs: timeMs(scenario.nowMs + 5_000 + pick(20_000)) } : {}),
    ...(pick(6) === 0 ? { clientOrderId: `0x${pick(6).toString(16).padStart(32, '0')}` } : {}),
  });
}

function anyTrigger(pick: Pick, shape: Partial<OrderRequest> = {}): OrderRequest {
  const price = near(pick, 100);
  const kind = one(pick, ['takeProfit', 'stopLoss'] as const);
  return waiting(
    { price, kind, isMarket: pick(2) === 0 },
    {
      instrumentId: instrumentId(1 + pick(2)),
      isBuy: pick(2) === 0,
      price: near(pick, 100),
      size: 15 + pick(200),
      reduceOnly: pick(3) > 0,
      ...shape,
    },
  );
}

function anyFamily(scenario: Scenario, pick: Pick): Command {
  const parent = pick(4) === 0 ? anyTrigger(pick) : anyOrder(scenario, pick);
  const child = { instrumentId: parent.instrumentId, isBuy: !parent.isBuy, reduceOnly: true };
  const orders = [
    parent,
    anyTrigger(pick, child),
    ...(pick(3) > 0 ? [anyTrigger(pick, child)] : []),
  ];
  return sign(scenario, one(pick, TRADERS), { type: 'placeOrders', orders, grouping: 'normal' });
}

function onPosition(scenario: Scenario, pick: Pick): Command {
  const trader = one(pick, TRADERS);
  const id = instrumentId(1 + pick(2));
  const long = scenario.position(trader, id) > 0;
  const shape = {
    instrumentId: id,
    isBuy: !long,
    reduceOnly: true,
    size: pick(2) * (15 + pick(100)),
  };
  const [a, b] = [anyTrigger(pick, shape), anyTrigger(pick, shape)];
  const pair = [
    { ...a, trigger: { ...a.trigger!, kind: 'takeProfit' as const } },
    { ...b, trigger: { ...b.trigger!, kind: 'stopLoss' as const } },
  ];
  const orders = pick(3) === 0 ? pair.slice(0, 1) : pair;
  return sign(scenario, trader, { type: 'placeOrders', orders, grouping: 'position' });
}

function anyAmend(scenario: Scenario, pick: Pick): Command {
  const trader = one(pick, TRADERS);
  const live = openOrders(scenario.state, trader);
  const target = live[pick(Math.max(1, live.length))];
  return sign(scenario, trader, {
    type: 'modifyOrder',
    instrumentId: target?.instrumentId ?? PERP.instrumentId,
    target: { orderId: target?.orderId ?? 0 },
    price: pick(3) === 0 ? (target?.price ?? 1_000_000) : near(pick, 60),
    size: pick(250),
  });
}

function anyCommand(scenario: Scenario, pick: Pick): Command {
  const trader = one(pick, TRADERS);
  switch (pick(12)) {
    case 0:
    case 1:
      return sign(scenario, trader, { type: 'placeOrders', orders: [anyTrigger(pick)] });
    case 2:
    case 3:
      return anyFamily(scenario, pick);
    case 4:
      return onPosition(scenario, pick);
    case 5:
    case 6:
      return anyAmend(scenario, pick);
    case 7: {
      const orderId = Math.max(1, scenario.state.nextOrderId - 1 - pick(12));
      const cancels = [1, 2].map((id) => ({ instrumentId: instrumentId(id), orderId }));
      return sign(scenario, trader, { type: 'cancelOrders', cancels });
    }
    case 8: {
      const atMs = timeMs(scenario.nowMs + 5_000 + pick(30_000));
      if (pick(3) > 0) return sign(scenario, trader, { type: 'scheduleCancel', atMs });
      return sign(scenario, trader, { type: pick(4) === 0 ? 'cancelAll' : 'scheduleCancel' });
    }
    case 9:
      return sign(scenario, trader, {
        type: 'reversePosition',
        instrumentId: instrumentId(1 + pick(2)),
        isBuy: pick(2) === 0,
      });
    default:
      return sign(scenario, trader, { type: 'placeOrders', orders: [anyOrder(scenario, pick)] });
  }
}

/**
 * Opens a venue with one trader each in one-way mode, in hedge mode, with isolated margin, and with
 * high leverage.
 */
function openVenue(funds: number, isolatedLeverage: number): Scenario {
  const scenario = Scenario.open({ accounts: TRADERS, funds });
  scenario.block({ type: 'registerPerp', perp: SECOND });
  scenario.oracle(1_000_000, SECOND.instrumentId);
  const [, second, third, fourth] = TRADERS;
  scenario.block(
    sign(scenario, second!, { type: 'updatePositionMode', mode: 'hedge' }),
    sign(scenario, third!, {
      type: 'updateMarginMode',
      instrumentId: PERP.instrumentId,
      marginMode: 'isolated',
    }),
    sign(scenario, third!, {
      type: 'updateLeverage',
      instrumentId: PERP.instrumentId,
      leverage: isolatedLeverage,
    }),
    sign(scenario, fourth!, {
      type: 'updateLeverage',
      instrumentId: PERP.instrumentId,
      leverage: 50,
    }),
  );
  return scenario;
}

/** Runs a history and returns every status, cause and phase that occurred. */
function live(scenario: Scenario, pick: Pick): string[] {
  const seen = new Set<string>();
  for (let round = 0; round < 220; round++) {
    if (pick(3) === 0) scenario.wait(pick(3_000));
    const commands = Array.from({ length: 1 + pick(4) }, () => anyCommand(scenario, pick));
    const prices = [1, 2].map((id) => ({ instrumentId: instrumentId(id), oracle: near(pick, 40) }));
    const push: Command = { type: 'pushOracle', prices, observedMs: timeMs(scenario.nowMs) };
    const { events } = scenario.block(...(pick(3) === 0 ? [push] : []), ...commands);
    for (const event of events) {
      if (event.type === 'orderUpdated') {
        seen.add(event.cancelCause ?? event.status);
        const { filled, isTriggered } = event.order;
        if (isTriggered === true) seen.add(`${event.cancelCause ?? 'armed'} ${filled > 0}`);
      }
      if (event.type === 'reverseJobChanged') seen.add(event.phase);
    }
  }
  return [...seen];
}

test('waiting orders of well funded traders follow the rules, even across restarts', () => {
  const seen = SEEDS.flatMap((seed) => {
    const scenario = openVenue(10_000_000_000, 2);
    const each = live(scenario, randomIntegers(seed));
    checkRestarts(scenario);
    return each;
  });
  const rules = ['parentCanceled', 'siblingFilled', 'amendedBelowFilled', 'reduceOnly', 'done'];
  // Some stops are retried after a partial fill or none, and others end with their position or
  // sibling.
  rules.push('armed true', 'armed false', 'reduceOnly false', 'siblingFilled false');
  for (const rule of rules) expect(seen).toContain(rule);
});

test('waiting orders of poorly funded traders are stopped by margin and liquidation', () => {
  const seen = SEEDS.flatMap((seed) => live(openVenue(60_000_000, 20), randomIntegers(seed)));
  for (const rule of ['marginCanceled', 'liquidation', 'failed']) expect(seen).toContain(rule);
});
