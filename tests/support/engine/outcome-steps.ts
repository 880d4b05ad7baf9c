import { type Address, timeMs } from '@oddlot/units';
import fc from 'fast-check';
import type { BlockResult } from '../../../packages/engine/src/messages/block.ts';
import type {
  Command,
  OutcomeLeg,
  TimeInForce,
} from '../../../packages/engine/src/messages/command.ts';
import { outcomeOpenOrders } from '../../../packages/engine/src/read/read-outcome.ts';
import { fundOutcome, MARKET_ID, openMarket, shareOrder } from './outcomes.ts';
import { actor, alice, bob, carol, type Scenario } from './scenario.ts';

/**
 * A random history of one outcome market, as plain data. Steps refer to orders by position ("the
 * n-th open order") rather than by id, so that a failing history can be shrunk to a short one.
 */
type OutcomeStep =
  | {
      readonly kind: 'place';
      readonly who: number;
      readonly leg: OutcomeLeg;
      readonly sell: boolean;
      /** The price of the outcome, in ticks of 0.01. */
      readonly ticks: number;
      readonly size: number;
      readonly timeInForce: TimeInForce;
      /** The client order id. 0 means none. */
      readonly client: number;
    }
  | { readonly kind: 'cancel'; readonly who: number; readonly nth: number }
  | {
      readonly kind: 'amend';
      readonly who: number;
      readonly nth: number;
      readonly ticks: number;
      readonly size: number;
    }
  | {
      readonly kind: 'operate';
      readonly who: number;
      readonly split: boolean;
      readonly size: number;
    }
  | { readonly kind: 'wait'; readonly ms: number };

/** An owner with almost no money. */
const dave = actor(0xda7e);
export const OWNERS: readonly Address[] = [alice, bob, carol, dave];
const DAVE_FUNDS = 8_000_000;

const who = fc.nat(OWNERS.length - 1);
const nth = fc.nat(9);
/** Prices stay close to 0.50, so that most orders match. */
const ticks = fc.oneof(
  { arbitrary: fc.integer({ min: 44, max: 56 }), weight: 5 },
  { arbitrary: fc.integer({ min: 0, max: 101 }), weight: 1 },
);
const size = fc.oneof(
  fc.integer({ min: 1, max: 3_000 }),
  fc.constantFrom(0, 500, 1_000, 100_000, 200_000_000),
);

const step: fc.Arbitrary<OutcomeStep> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      who,
      leg: fc.constantFrom('yes', 'no'),
      sell: fc.boolean(),
      ticks,
      size,
      timeInForce: fc.constantFrom('gtc', 'gtc', 'gtc', 'gtd', 'alo', 'ioc'),
      client: fc.oneof(fc.constant(0), fc.nat(4)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), who, nth }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('amend' as const), who, nth, ticks, size }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('operate' as const),
      who,
      split: fc.boolean(),
      size: fc.integer({ min: 1, max: 5_000 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 100, 250, 6_000, 61_000),
    }),
  },
);

export const outcomeSteps: fc.Arbitrary<readonly OutcomeStep[]> = fc.array(step, {
  minLength: 1,
  maxLength: 60,
  size: 'max',
});

/** Opens a market in which all accounts except one hold pairs that they can sell. */
export function openForSteps(orderDelayMs: number): Scenario {
  const venue = openMarket({ orderDelayMs, minOrderSize: 100 });
  fundOutcome(venue, dave, DAVE_FUNDS);
  for (const owner of [alice, bob, carol]) {
    const entries = [{ instrumentId: MARKET_ID, size: 4_000 }];
    const authority = venue.authority(owner);
    venue.block({ type: 'operateOutcome', authority, kind: 'split', entries });
  }
  return venue;
}

/** Executes a step in its own block. With `mirrored`, YES and NO are swapped. */
export function takeStep(venue: Scenario, taken: OutcomeStep, mirrored = false): BlockResult {
  if (taken.kind === 'wait') return venue.wait(taken.ms).block();
  return venue.block(toCommand(venue, taken, mirrored));
}

export function toCommand(
  venue: Scenario,
  taken: Exclude<OutcomeStep, { kind: 'wait' }>,
  mirrored: boolean,
): Command {
  const owner = OWNERS[taken.who] ?? alice;
  const authority = venue.authority(owner);
  switch (taken.kind) {
    case 'place': {
      const { client, leg, sell, timeInForce } = taken;
      const order = shareOrder({
        leg: mirrored === (leg === 'yes') ? 'no' : 'yes',
        sell,
        price: taken.ticks * 100,
        size: taken.size,
        timeInForce,
        ...(timeInForce === 'gtd' ? { expireMs: timeMs(venue.nowMs + 5_500) } : {}),
        ...(client === 0 ? {} : { clientOrderId: `0x${String(client).padStart(32, '0')}` }),
      });
      return { type: 'placeOrders', authority, orders: [order] };
    }
    case 'cancel':
      return { type: 'cancelOrders', authority, cancels: [liveOrder(venue, owner, taken.nth)] };
    case 'amend': {
      const { instrumentId, orderId } = liveOrder(venue, owner, taken.nth);
      const to = { price: taken.ticks * 100, size: taken.size };
      return { type: 'modifyOrder', authority, instrumentId, target: { orderId }, ...to };
    }
    case 'operate': {
      const kind = taken.split ? 'split' : 'merge';
      const entries = [{ instrumentId: MARKET_ID, size: taken.size }];
      return { type: 'operateOutcome', authority, kind, entries };
    }
  }
}

function liveOrder(venue: Scenario, owner: Address, at: number) {
  const orders = outcomeOpenOrders(venue.state, owner);
  const orderId = orders[at % Math.max(1, orders.length)]?.orderId ?? 1;
  return { instrumentId: MARKET_ID, orderId };
}
