import { type MicroUsdc, type TimeMs, ZERO_USDC } from '@oddlot/units';
import { emptyOwnList, type OwnList } from '../book/order-pool.ts';
import type { OutcomeLeg } from '../messages/outcome-terms.ts';
import type { OutcomeMarket } from './outcome-market.ts';

/** What an account has in one outcome market. */
export type OutcomeHolding = {
  readonly market: OutcomeMarket;
  readonly yes: LegHolding;
  readonly no: LegHolding;
  /** The account's resting orders in the market, both legs, oldest first. */
  readonly orders: OwnList;
};

/** The shares of one leg. */
export type LegHolding = {
  /** Lots, never negative. */
  size: number;
  /** What they cost, for the average price. */
  cost: MicroUsdc;
  /** Lots in queued and resting sells (R-reserve). */
  reserved: number;
  /** Since the leg was last empty. */
  feesPaid: MicroUsdc;
  realised: MicroUsdc;
  updatedMs: TimeMs;
};

export function createOutcomeHolding(market: OutcomeMarket, nowMs: TimeMs): OutcomeHolding {
  return { market, yes: emptyLeg(nowMs), no: emptyLeg(nowMs), orders: emptyOwnList() };
}

function emptyLeg(updatedMs: TimeMs): LegHolding {
  return {
    size: 0,
    cost: ZERO_USDC,
    reserved: 0,
    feesPaid: ZERO_USDC,
    realised: ZERO_USDC,
    updatedMs,
  };
}

/** Buying YES and selling YES are `b !== r`; a bid that sells and an ask that buys are about NO. */
export function outcomeLegOf(order: {
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
}): OutcomeLeg {
  return order.isBuy === order.reduceOnly ? 'no' : 'yes';
}

/** A leg's own price from the book's YES price, and back. */
export function legPrice(leg: OutcomeLeg, price: number, unit: number): number {
  return leg === 'yes' ? price : unit - price;
}
