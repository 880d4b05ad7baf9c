import {
  accrueOutcomeFee,
  addUsdc,
  type Hash,
  type MicroUsdc,
  notional,
  rateE8,
  type TimeMs,
  ZERO_USDC,
} from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import type { OutcomeLeg } from '../messages/outcome-terms.ts';
import { builderFeeAtMost, builderOf } from '../resting/order-builder.ts';
import { looseSnapshot } from '../resting/snapshot.ts';
import type { Account } from '../state/account.ts';
import type { OrderBuilder } from '../state/builders.ts';
import { legPrice, type OutcomeHolding, outcomeLegOf } from '../state/outcome-holding.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';

/** An outcome order on its way through the book: what it was, and what is left of it. */
export type OutcomeTaker = {
  readonly orderId: number;
  readonly account: Account;
  readonly holding: OutcomeHolding;
  readonly request: OrderRequest;
  readonly leg: OutcomeLeg;
  /** The limit in the book's YES terms. */
  readonly price: number;
  readonly original: number;
  remaining: number;
  /** Sum of leg price × size over the fills. */
  filledNotional: number;
  /** What a buy has set aside and not used. */
  reserve: MicroUsdc;
  /** Rounding that the taker fee has paid ahead (R-outcome-fee). */
  feeOverpaid: number;
  /** Who charges for it (R-builder). */
  readonly builder: OrderBuilder | undefined;
  /** The action that the order came with, and the one that makes it trade: an amend's own. */
  readonly txHash: Hash;
  readonly tradeTxHash: Hash;
  readonly acceptedMs: TimeMs;
  /** Set on an order that has rested before (R-modify). */
  readonly rank?: number;
};

/** The YES price of an order: of one for NO, what is left to 1 (R-one-book). */
export function bookPrice(market: OutcomeMarket, order: OrderRequest): number {
  return legPrice(outcomeLegOf(order), order.price, market.unit);
}

/**
 * R-reserve: what a buy must hold back for what is left of it, at its limit: the price and the worst
 * case of its fees. A better price never costs more, since price and fee together rise with the price.
 */
export function requiredReserve(
  market: OutcomeMarket,
  limit: number,
  rest: number,
  { builder, feeOverpaid }: FeeRemainders,
): MicroUsdc {
  // An order that is done holds nothing, whatever its fees have rounded: it is freed with the last fill.
  if (rest === 0) return ZERO_USDC;
  const { takerFeeE8 } = market.definition;
  const fill = { size: rest, price: limit, unit: market.unit };
  const { fee } = accrueOutcomeFee(fill, rateE8(takerFeeE8), feeOverpaid);
  const value = notional(limit, rest);
  return addUsdc(addUsdc(value, fee), builderFeeAtMost(value, builder));
}

/** What the fees of an order have left over or paid ahead so far. */
type FeeRemainders = {
  readonly feeOverpaid: number;
  readonly builder: OrderBuilder | undefined;
};

/** Of an order that has not traded yet. */
export function freshRemainders(order: OrderRequest): FeeRemainders {
  return { feeOverpaid: 0, builder: builderOf(order) };
}

/** The order as events show it: prices are the leg's own. */
export function outcomeTakerSnapshot(taker: OutcomeTaker): OrderSnapshot {
  const { acceptedMs, account, leg, request, txHash } = taker;
  return looseSnapshot(taker, account.address, request.price, acceptedMs, { leg, txHash });
}
