import { addUsdc, type MicroUsdc, negUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';
import { postFee, postToBalance } from '../ledger/post.ts';
import type { Building } from '../messages/building.ts';
import type { TradeSide } from '../messages/event.ts';
import { isCrossFillCovered, isFillInSight, type PendingFill } from '../perp/fill-check.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { planIsolatedFill } from '../perp/isolated.ts';
import { holdingChanged } from '../perp/margin.ts';
import { type Closed, closedBy, tradePosition } from '../perp/position.ts';
import { type BuilderCharge, settleCharge, shownCharge } from '../resting/order-builder.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** One side of a fill before it happens. `fees` are the exchange's and the builder's together. */
type SideFill = PendingFill & {
  /** The exchange's fee, which the event shows. */
  readonly fee: MicroUsdc;
  readonly charge: BuilderCharge | undefined;
  /** What the side's order has set aside, and the lots that it has filled before. */
  readonly reserve: MicroUsdc;
  readonly filled: number;
};

/** A side that is planned: whether it may happen, and where its money goes. */
export type SidePlan = {
  readonly fill: SideFill;
  feeTo: 'treasury' | 'fund';
  isCovered: boolean;
  /** Added to the balance; negative is taken. */
  readonly toBalance: MicroUsdc;
  /** Taken out of the reserve of the side's isolated order. */
  readonly fromReserve: MicroUsdc;
  /** The isolated margin after the fill. */
  readonly marginAfter: MicroUsdc;
  /** What it closes, if anything. */
  readonly closed: Closed | undefined;
};

type Side = { readonly account: Account; readonly holding: Holding };

/** Plans one side on its own scope: the cross account, or the isolated position (R-fill-check). */
export function planSide(state: State, { account, holding }: Side, fill: SideFill): SidePlan {
  const isInSight = isFillInSight(state, account, holding, fill);
  const closed = closedBy(holding, fill.signedSize, fill.price);
  if (holding.isIsolated) {
    const { fromReserve, marginAfter, toBalance, ...plan } = planIsolatedFill(
      state,
      account,
      holding,
      fill,
    );
    const isCovered = isInSight && plan.isCovered;
    return { fill, feeTo: 'treasury', isCovered, toBalance, fromReserve, marginAfter, closed };
  }
  return {
    fill,
    feeTo: 'treasury',
    isCovered: isInSight && isCrossFillCovered(state, account, holding, fill),
    toBalance: closed === undefined ? negUsdc(fill.fees) : subUsdc(closed.realised, fill.fees),
    fromReserve: ZERO_USDC,
    marginAfter: ZERO_USDC,
    closed,
  };
}

/** Moves one side's position and money as planned. */
export function settleSide(
  execution: Execution,
  { account, holding }: Side,
  plan: SidePlan,
  order: Pick<TradeSide, 'orderId' | 'clientOrderId' | 'reduceOnly'>,
): TradeSide {
  const { state } = execution;
  const { closed, fill } = plan;
  const startPosition = holding.size;
  state.entry.beforeChange?.(account);
  state.entry.noteTrade(holding, startPosition + fill.signedSize);
  tradePosition(state, holding, fill.signedSize, fill.price, closed);
  holding.feesPaid = addUsdc(holding.feesPaid, fill.fees);
  holding.isolatedMargin = plan.marginAfter;
  postToBalance(state, account, plan.toBalance);
  if (plan.feeTo === 'treasury') postFee(state, fill.fee);
  else postToBalance(state, insuranceFund(state), fill.fee);
  if (fill.charge !== undefined) settleCharge(state, fill.charge);
  holdingChanged(state, account, holding);
  state.digest.number(holding.size);
  state.digest.amount(holding.cost);
  const side: Building<TradeSide> = {
    account: account.address,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    reduceOnly: order.reduceOnly,
    startPosition,
    fee: fill.fee,
    realised: closed?.realised ?? ZERO_USDC,
    marginMode: holding.isIsolated ? 'isolated' : 'cross',
    leverage: holding.leverage,
  };
  if (closed !== undefined) {
    side.closedSize = closed.size;
    side.closedCost = closed.released;
  }
  const builderFee = shownCharge(fill.charge);
  if (builderFee !== undefined) side.builderFee = builderFee;
  return side;
}
