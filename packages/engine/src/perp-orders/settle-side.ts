import { addUsdc, type MicroUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';
import { postFee, postToBalance } from '../ledger/post.ts';
import type { Building } from '../messages/building.ts';
import type { TradeSide } from '../messages/event.ts';
import { isCrossFillCovered, isFillInSight, type PendingFill } from '../perp/fill-check.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { planIsolatedFill } from '../perp/isolated.ts';
import { holdingChanged } from '../perp/margin.ts';
import { closeResult, splitTrade, tradePosition } from '../perp/position.ts';
import { type BuilderCharge, settleCharge, shownCharge } from '../resting/order-builder.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { scopeOf } from '../state/risk-index.ts';

/** One side of a fill before it happens: whether it may, and where its money goes. */
export type SidePlan = {
  readonly signedSize: number;
  readonly price: number;
  /** The exchange's fee, which the event shows. */
  readonly fee: MicroUsdc;
  readonly charge: BuilderCharge | undefined;
  /** Both together. */
  readonly fees: MicroUsdc;
  readonly feeTo: 'treasury' | 'fund';
  readonly isCovered: boolean;
  /** Added to the balance; negative is taken. */
  readonly toBalance: MicroUsdc;
  /** Taken out of the reserve of the side's isolated order. */
  readonly fromReserve: MicroUsdc;
  /** The isolated margin after the fill. */
  readonly marginAfter: MicroUsdc;
};

type Side = { readonly account: Account; readonly holding: Holding };

/** What a side's order brings, and how far it has come. */
type OrderProgress = { readonly reserve: MicroUsdc; readonly filled: number };

/** Plans one side on its own scope: the cross account, or the isolated position (R-fill-check). */
export function planSide(
  execution: Execution,
  { account, holding }: Side,
  fill: PendingFill & Pick<SidePlan, 'fee' | 'charge'> & OrderProgress,
): SidePlan {
  const { state } = execution;
  const { charge, fee, fees, price, signedSize } = fill;
  const builderFee = subUsdc(fees, fee);
  const scope = scopeOf(account, holding);
  const isInSight = isFillInSight(state, scope, holding, { signedSize, price, builderFee });
  if (holding.isIsolated) {
    const plan = planIsolatedFill(state, account, holding, fill);
    const isCovered = isInSight && plan.isCovered;
    return { signedSize, price, fee, charge, fees, feeTo: 'treasury', ...plan, isCovered };
  }
  const { close } = splitTrade(holding.size, signedSize);
  const realised = close > 0 ? closeResult(holding, close, price).realised : ZERO_USDC;
  return {
    signedSize,
    price,
    fee,
    charge,
    fees,
    feeTo: 'treasury',
    isCovered: isInSight && isCrossFillCovered(state, account, holding, fill),
    toBalance: subUsdc(realised, fees),
    fromReserve: ZERO_USDC,
    marginAfter: ZERO_USDC,
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
  const startPosition = holding.size;
  state.entry.beforeChange?.(account);
  state.entry.noteTrade(holding, startPosition + plan.signedSize);
  const closed = tradePosition(state, holding, plan.signedSize, plan.price);
  holding.feesPaid = addUsdc(holding.feesPaid, plan.fees);
  holding.isolatedMargin = plan.marginAfter;
  postToBalance(state, account, plan.toBalance);
  if (plan.feeTo === 'treasury') postFee(state, plan.fee);
  else postToBalance(state, insuranceFund(state), plan.fee);
  if (plan.charge !== undefined) settleCharge(state, plan.charge);
  holdingChanged(state, account, holding);
  state.digest.number(holding.size);
  state.digest.amount(holding.cost);
  const side: Building<TradeSide> = {
    account: account.address,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    reduceOnly: order.reduceOnly,
    startPosition,
    fee: plan.fee,
    realised: closed?.realised ?? ZERO_USDC,
    marginMode: holding.isIsolated ? 'isolated' : 'cross',
    leverage: holding.leverage,
  };
  if (closed !== undefined) {
    side.closedSize = closed.size;
    side.closedCost = closed.released;
  }
  const builderFee = shownCharge(plan.charge);
  if (builderFee !== undefined) side.builderFee = builderFee;
  return side;
}
