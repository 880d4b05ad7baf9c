import {
  accrueFeeDown,
  addUsdc,
  type MicroUsdc,
  present,
  type RateE8,
  rateE8,
  ZERO_USDC,
} from '@oddlot/units';
import { postBuilderFee } from '../ledger/builders.ts';
import type { BuilderTerms, OrderRequest } from '../messages/command.ts';
import type { TradeSide, BuilderDrop } from '../messages/event.ts';
import { LIMITS, type MarketKind, marketKind } from '../messages/limits.ts';
import { accountAt, type State } from '../state/state.ts';
import type { Account, OrderBuilder } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { HAS_BUILDER, readSlot, readSlotInt } from '../book/order-pool.ts';

/** The step of builder fees, a tenth of a basis point, in 10^-8. */
const TENTH_BP_E8 = 1_000;

/**
 * Returns the first check that a builder fails for an account's order (R-builder): approval, the
 * cap of the market kind, the approved rate, and the builder's balance. An order with a fee of 0
 * passes.
 */
export function judgeBuilder(
  state: State,
  account: Account,
  { address, feeTenthsBp }: BuilderTerms,
  kind: MarketKind,
): BuilderDrop | undefined {
  if (feeTenthsBp === 0) return undefined;
  const approval = account.builders.get(address);
  if (approval === undefined) return { reason: 'notApproved', feeTenthsBp, allowedTenthsBp: 0 };
  const cap = kind === 'perp' ? LIMITS.builderFeePerpMax : LIMITS.builderFeeOutcomeMax;
  if (feeTenthsBp > cap) return { reason: 'overCap', feeTenthsBp, allowedTenthsBp: cap };
  if (feeTenthsBp * TENTH_BP_E8 > approval.maxFeeE8) {
    const allowedTenthsBp = Math.floor(approval.maxFeeE8 / TENTH_BP_E8);
    return { reason: 'overApproval', feeTenthsBp, allowedTenthsBp };
  }
  const balance = accountAt(state, address)?.perpBalance;
  return balance !== undefined && balance >= parametersOf(state).builderMinBalanceMicroUsdc
    ? undefined
    : { reason: 'builderBalance', feeTenthsBp, allowedTenthsBp: 0 };
}

/**
 * Returns the order as accepted: without its builder if the builder is not allowed to charge for
 * it. A builder that only lacks balance stays, because its balance may be sufficient by the time
 * the order fills.
 */
export function withAcceptedBuilder(
  state: State,
  account: Account,
  order: OrderRequest,
): OrderRequest {
  if (order.builder === undefined) return order;
  const drop = judgeBuilder(state, account, order.builder, marketKind(order.instrumentId));
  if (drop === undefined || drop.reason === 'builderBalance') return order;
  const { builder: _, ...rest } = order;
  return rest;
}

export function builderOf({ builder }: OrderRequest): OrderBuilder | undefined {
  return builder === undefined ? undefined : { ...builder, takerOwed: 0, makerOwed: 0 };
}

export function absorbBuilder(state: State, { address, feeTenthsBp }: BuilderTerms): void {
  state.digest.text(address);
  state.digest.number(feeTenthsBp);
}

/**
 * Adds the rate of the order's builder to a taker rate; the sum is the highest cost of an order.
 */
export function withBuilderRate(takerRate: RateE8, { builder }: OrderRequest): RateE8 {
  return builder === undefined ? takerRate : rateE8(takerRate + builder.feeTenthsBp * TENTH_BP_E8);
}

/**
 * Returns the maximum that an order's builder can still charge on a given value. It includes the
 * uncharged fractions of both roles, so that the reserve covers fills in either role.
 */
export function builderFeeAtMost(value: MicroUsdc, builder: OrderBuilder | undefined): MicroUsdc {
  if (builder === undefined) return ZERO_USDC;
  const { feeTenthsBp, makerOwed, takerOwed } = builder;
  return accrueFeeDown(value, rateE8(feeTenthsBp * TENTH_BP_E8), makerOwed + takerOwed).fee;
}

/** The builder's charge for one side of a fill. */
export type BuilderCharge = {
  readonly builder: OrderBuilder;
  readonly role: 'taker' | 'maker';
  readonly fee: MicroUsdc;
  /**
   * The fraction of the builder fee for this role that is still uncharged after the fill, in 10^-8
   * micro-USDC.
   */
  readonly owed: number;
};

/**
 * Checks the builder again for one fill (R-builder). Returns undefined if it is not allowed to
 * charge.
 */
export function builderCharge(
  state: State,
  account: Account,
  builder: OrderBuilder,
  fill: { readonly instrumentId: number; readonly value: MicroUsdc },
  role: BuilderCharge['role'],
): BuilderCharge | undefined {
  if (judgeBuilder(state, account, builder, marketKind(fill.instrumentId)) !== undefined) {
    return undefined;
  }
  const rate = rateE8(builder.feeTenthsBp * TENTH_BP_E8);
  const before = role === 'taker' ? builder.takerOwed : builder.makerOwed;
  const { fee, owed } = accrueFeeDown(fill.value, rate, before);
  return { builder, role, fee, owed };
}

export function feesWith(fee: MicroUsdc, charge: BuilderCharge | undefined): MicroUsdc {
  return charge === undefined ? fee : addUsdc(fee, charge.fee);
}

export function settleCharge(state: State, { builder, fee, owed, role }: BuilderCharge): void {
  if (role === 'taker') builder.takerOwed = owed;
  else builder.makerOwed = owed;
  state.digest.number(owed);
  if (fee > 0n) postBuilderFee(state, builder.address, fee);
}

/** Returns a charge as shown in trades, or undefined if it rounds to 0. */
export function shownCharge(charge: BuilderCharge | undefined): TradeSide['builderFee'] {
  if (charge === undefined || charge.fee === 0n) return undefined;
  const { address, feeTenthsBp } = charge.builder;
  return { builder: address, feeTenthsBp, amount: charge.fee };
}

export function restingBuilder(state: State, slot: number): OrderBuilder | undefined {
  const { flags, orderId } = state.pool;
  if ((readSlotInt(flags, slot) & HAS_BUILDER) === 0) return undefined;
  return present(state.orderBuilders.get(readSlot(orderId, slot)), 'the builder of an order');
}
