import { expect } from 'vitest';
import { orderAction, type Actor, type World } from './actors.ts';
import { eventually, type Json, type Reply } from './client.ts';
import { DEPLOYER, share, type OutcomeMarket } from './deployer.ts';
import { exact, MICRO, show, times, roundedUp } from './exact.ts';
import { OPERATED, act, succeeded } from './perps.ts';
import type { JsonObject, Signed } from './wallet.ts';
import type { Socket } from './socket.ts';

/**
 * Flags for a venue with an operator, a separate deployer and no bots. Its own oracle keeps the
 * prices of the default perps from becoming stale (R-oracle-stale), no matter how long tests share
 * the venue.
 */
export const OUTCOMES = [...OPERATED.with(3, '5000'), '--deployers', DEPLOYER];

export const FEE = { takerFeeRate: '0.07' };

export type BetOptions = {
  readonly tif?: string;
  readonly expireTime?: number;
  readonly cloid?: string;
};

const BET = /^(buy|sell) (Yes|No) (\S+) at (\S+)$/;

/** Converts an order written as text, for example `buy No 10 at 0.40`, to its wire form. */
export function bet(market: OutcomeMarket, words: string, options: BetOptions = {}): JsonObject {
  const [, intent, leg, size, price] = BET.exec(words) ?? [];
  if (size === undefined || price === undefined) throw new Error(`not an order: ${words}`);
  return share({
    market,
    leg: leg === 'Yes' ? 'yes' : 'no',
    intent: intent === 'buy' ? 'buy' : 'sell',
    price,
    size,
    ...options,
  });
}

export async function placed(
  actor: Actor,
  market: OutcomeMarket,
  words: string,
  options: BetOptions = {},
): Promise<Json> {
  return succeeded(await actor.place(bet(market, words, options))).orders[0];
}

/** Sends orders without waiting for their execution. The reply has only the trace id. */
export async function queued(actor: Actor, ...orders: JsonObject[]): Promise<Signed> {
  const signed = await actor.sign(orderAction(...orders));
  const { json, text } = await actor.client.exchange(signed);
  expect(json, text).toEqual({ status: 'ok', traceId: signed.traceId });
  return signed;
}

/** Splits or merges pairs. Each entry is a size and either a market or the id of any instrument. */
export async function operate(
  actor: Actor,
  kind: 'split' | 'merge',
  ...entries: [market: OutcomeMarket | number, sz: string][]
): Promise<Reply> {
  const list = entries.map(([market, sz]) => {
    return { asset: typeof market === 'number' ? market : market.id, sz };
  });
  return act(actor, { type: 'outcomeOperate', [kind]: list });
}

export async function outcomeState(actor: Actor): Promise<Json> {
  const { address: user } = actor;
  return actor.client.data({ type: 'clearinghouseState', user, accountType: 'outcome' });
}

/** Returns an account's free and reserved money, followed by its shares in one market. */
export async function fundsOf(actor: Actor, market: OutcomeMarket): Promise<string> {
  const state = await outcomeState(actor);
  const free = exact(state.withdrawable);
  const reserved = exact(state.marginSummary.totalRawUsd) - free;
  const held = state.assetPositions
    .filter(({ position }: Json) => position.asset === market.coin)
    .map(({ position: { szi } }: Json) =>
      szi.startsWith('-') ? `${szi.slice(1)} No` : `${szi} Yes`,
    );
  const money = reserved === 0n ? show(free) : `${show(free)} + ${show(reserved)} reserved`;
  return [money, ...held].join(', ');
}

export async function openBets(actor: Actor, market?: OutcomeMarket): Promise<Json[]> {
  const some = market === undefined ? {} : { instrumentIds: [market.id] };
  return actor.client.data({ type: 'outcomeFrontendOpenOrders', user: actor.address, ...some });
}

/**
 * Returns the book in YES prices: first the bids, then the asks, each starting with the best price.
 */
export async function bookOf(world: World, market: OutcomeMarket): Promise<string> {
  const { levels } = await world.client.data({ type: 'l2Book', coin: market.coin });
  const side = (rows: Json[]) => rows.map(({ px, sz }) => `${sz} at ${px}`).join(', ');
  return `${side(levels[0])} | ${side(levels[1])}`;
}

export async function marketMeta(world: World, market: OutcomeMarket): Promise<Json> {
  const { eventSlug } = market;
  const event = await world.client.data({ type: 'outcomeMeta', eventSlug });
  return event.markets.find((entry: Json) => entry.instrument_id === market.id);
}

export async function untilPhase(
  world: World,
  market: OutcomeMarket,
  phase: string,
): Promise<void> {
  await eventually(async () => expect((await marketMeta(world, market)).phase).toBe(phase));
}

export async function actionStatus(world: World, { txHash }: Signed): Promise<Json> {
  return world.client.data({ type: 'actionStatus', txHash });
}

/**
 * Returns the expected fee (R-outcome-fee): rate × size × p × (1 − p), rounded up to a micro-USDC.
 */
export function takerFee(size: string, price: string, rate = '0.07'): string {
  const p = exact(price);
  return show(roundedUp(times(times(exact(size), exact(rate)), times(p, exact(1) - p)), MICRO));
}

export async function outcomeLedger(actor: Actor): Promise<Json[]> {
  const type = 'userNonFundingLedgerUpdates';
  return actor.client.data({ type, user: actor.address, accountTypes: 'outcome' });
}

/** Collects both streams of outcome order updates. */
export class BetWatch {
  #node: Socket;
  #api: Socket;

  private constructor(node: Socket, api: Socket) {
    this.#node = node;
    this.#api = api;
  }

  static async of(world: World, { address: user }: Actor): Promise<BetWatch> {
    const [node, api] = [await world.socket(), await world.socket('/api-ws')];
    await node.subscribe({ type: 'outcomeOrderUpdates', user });
    await api.subscribe({ type: 'outcomeOrderUpdate', user });
    return new BetWatch(node, api);
  }

  /** Order updates of the book (/ws), oldest first. */
  get updates(): Json[] {
    return this.#node.of('outcomeOrderUpdates').flatMap((frame) => frame.data);
  }

  /** Failures of orders in the delay queue (/api-ws), oldest first. */
  get failures(): Json[] {
    return this.#api.of('outcomeOrderUpdate').map((frame) => frame.data);
  }

  /** Waits for the first update in which the action's order has this status. */
  async update({ traceId }: Signed, status: string): Promise<Json> {
    return eventually(() => {
      const row = this.updates.find((each) => isOf(each, traceId) && each.status === status);
      if (row === undefined) throw new Error(`${status}? ${JSON.stringify(this.updates)}`);
      return row;
    });
  }

  async failure({ traceId }: Signed): Promise<Json> {
    return eventually(() => {
      const row = this.failures.find((each) => each.traceId === traceId);
      if (row === undefined) throw new Error(`no failure: ${JSON.stringify(this.failures)}`);
      return row;
    });
  }
}

function isOf({ order }: Json, traceId: string): boolean {
  return order.traceId === traceId;
}
