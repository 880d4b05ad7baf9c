import { type Address, instrumentId, timeMs } from '@oddlot/units';
import { ZERO_ADDRESS } from '../../../packages/engine/src/auth/agents.ts';
import type {
  Command,
  OrderRequest,
  TimeInForce,
} from '../../../packages/engine/src/messages/command.ts';
import { openOrders, tradeCapacity } from '../../../packages/engine/src/read/read.ts';
import { actor, PERP, type Scenario } from './scenario.ts';

/**
 * The steps of a random history as plain data. They refer to orders and prices by position ("the
 * n-th open order", "n ticks from the oracle") rather than by id, so that a failing history can be
 * shrunk to a short one.
 */
export type Step =
  | PlaceStep
  | { readonly kind: 'cancel'; readonly who: number; readonly nth: number }
  | { readonly kind: 'cancelByClientId'; readonly who: number; readonly client: number }
  | { readonly kind: 'oracle'; readonly perp: number; readonly permille: number }
  | { readonly kind: 'fund'; readonly who: number; readonly amount: number }
  | {
      readonly kind: 'agent';
      readonly who: number;
      readonly label: number;
      readonly agent: number;
    };

type PlaceStep = {
  readonly kind: 'place';
  readonly who: number;
  /** True if the account's agent signs. Has no effect if the account has no agent. */
  readonly byAgent: boolean;
  readonly perp: number;
  readonly isBuy: boolean;
  /** The distance between the limit price and the oracle. */
  readonly ticks: number;
  readonly size: number;
  /**
   * The size as a percentage of the largest order that the account can place. If 0, `size` applies
   * instead.
   */
  readonly share: number;
  readonly timeInForce: TimeInForce;
  readonly reduceOnly: boolean;
  /** The client order id. 0 means none. */
  readonly client: number;
};

/** Initial balances in ascending order, in micro-USDC. */
const FUNDS = [12_000_000, 40_000_000, 200_000_000, 5_000_000_000] as const;
export const TRADERS: readonly Address[] = FUNDS.map((_, at) => actor(0x7000 + at));
const PERPS = [1, 2].map((id) => ({
  ...PERP,
  instrumentId: instrumentId(id),
  name: `TEST${id}-USDC`,
}));
const TIMES_IN_FORCE: readonly TimeInForce[] = ['gtc', 'gtd', 'alo', 'ioc', 'market'];

/** Lists the other perps, sets all prices, and funds the traders. */
export function openVenue(scenario: Scenario): void {
  for (const perp of PERPS.slice(1)) scenario.block({ type: 'registerPerp', perp });
  for (const perp of PERPS) scenario.oracle(1_000_000, perp.instrumentId);
  for (const [at, trader] of TRADERS.entries()) scenario.fund(trader, FUNDS[at] ?? 0);
}

export function toCommand(scenario: Scenario, step: Step): Command {
  switch (step.kind) {
    case 'place':
      return {
        type: 'placeOrders',
        authority: scenario.authority(signerOf(scenario, step)),
        orders: [toOrder(scenario, step)],
      };
    case 'cancel': {
      const trader = traderAt(step.who);
      const live = openOrders(scenario.state, trader);
      const found = live[step.nth % Math.max(1, live.length)];
      const target = {
        instrumentId: found?.instrumentId ?? PERP.instrumentId,
        orderId: found?.orderId ?? step.nth,
      };
      const authority = scenario.authority(trader);
      return { type: 'cancelOrders', authority, cancels: [target, target] };
    }
    case 'cancelByClientId': {
      const cancels = PERPS.map((perp) => ({
        instrumentId: perp.instrumentId,
        clientOrderId: clientId(step.client),
      }));
      const authority = scenario.authority(traderAt(step.who));
      return { type: 'cancelByClientId', authority, cancels };
    }
    case 'oracle': {
      const perp = perpAt(step.perp);
      const last = scenario.state.perps.get(perp.instrumentId)?.oracle ?? 1_000_000;
      const oracle = Math.max(50_000, Math.floor((last * (1_000 + step.permille)) / 1_000));
      const prices = [{ instrumentId: perp.instrumentId, oracle: Math.min(oracle, 20_000_000) }];
      return { type: 'pushOracle', prices, observedMs: timeMs(scenario.nowMs) };
    }
    case 'fund': {
      const account = traderAt(step.who);
      return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc: step.amount };
    }
    case 'agent':
      return {
        type: 'approveAgent',
        authority: scenario.authority(traderAt(step.who)),
        agent: step.agent === 0 ? ZERO_ADDRESS : actor(0xa000 + step.agent),
        label: `bot ${step.label}`,
      };
  }
}

function signerOf(scenario: Scenario, step: PlaceStep): Address {
  const trader = traderAt(step.who);
  if (!step.byAgent) return trader;
  const [first] = scenario.account(trader).agents.values();
  return first?.agent ?? trader;
}

function toOrder(scenario: Scenario, step: PlaceStep): OrderRequest {
  const perp = perpAt(step.perp);
  const { oracle } = scenario.state.perps.get(perp.instrumentId) ?? { oracle: 1_000_000 };
  const price = (Math.floor(oracle / perp.priceTick) + step.ticks) * perp.priceTick;
  return {
    instrumentId: perp.instrumentId,
    isBuy: step.isBuy,
    price,
    size: sizeOf(scenario, step),
    reduceOnly: step.reduceOnly,
    timeInForce: step.timeInForce,
    ...(step.timeInForce === 'gtd' ? { expireMs: timeMs(scenario.nowMs + 7_000) } : {}),
    ...(step.client === 0 ? {} : { clientOrderId: clientId(step.client) }),
  };
}

function sizeOf(scenario: Scenario, step: PlaceStep): number {
  if (step.share === 0) return step.size;
  const { instrumentId: id } = perpAt(step.perp);
  const capacity = tradeCapacity(scenario.state, traderAt(step.who), id);
  const most = (step.isBuy ? capacity?.maxBuy : capacity?.maxSell) ?? 0;
  return Math.floor((most * step.share) / 100);
}

export function traderAt(who: number): Address {
  return TRADERS[who % TRADERS.length] as Address;
}

export function perpAt(at: number): (typeof PERPS)[number] {
  return PERPS[at % PERPS.length] as (typeof PERPS)[number];
}

function clientId(client: number): string {
  return `0x${client.toString(16).padStart(32, '0')}`;
}

/** Returns a deterministic generator. The same seed gives the same history on every machine. */
export function randomIntegers(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  };
}

/** Returns a random step, usually an order near the oracle. */
export function randomStep(pick: (below: number) => number): Step {
  const who = pick(TRADERS.length);
  const kind = pick(20);
  if (kind === 0) return { kind: 'oracle', perp: pick(2), permille: pick(41) - 20 };
  if (kind === 1) return { kind: 'cancelByClientId', who, client: 1 + pick(5) };
  if (kind === 2) return { kind: 'agent', who, label: pick(3), agent: pick(6) };
  if (kind === 3) return { kind: 'fund', who, amount: 1 + pick(3_000_000) };
  if (kind <= 6) return { kind: 'cancel', who, nth: pick(30) };
  const reach = [20, 20, 20, 20, 600, 600, 7_900][pick(7)] ?? 20;
  return {
    kind: 'place',
    who,
    byAgent: pick(3) === 0,
    perp: pick(2),
    isBuy: pick(2) === 0,
    ticks: pick(2 * reach + 1) - reach,
    size: 1 + pick(pick(3) === 0 ? 2_000 : 120),
    share: pick(3) === 0 ? 1 + pick(100) : 0,
    timeInForce: TIMES_IN_FORCE[pick(5)] as TimeInForce,
    reduceOnly: pick(3) === 0,
    client: pick(4) === 0 ? 1 + pick(5) : 0,
  };
}
