import type { PositionView, State, TpslLeg, TpslView } from '@oddlot/engine';
import type { AssetPosition, PositionLeverage, PositionTpsl } from '@oddlot/protocol';
import { formatMoney, negUsdc, notional, present } from '@oddlot/units';
import {
  formatAveragePrice,
  formatPrice,
  formatRatio,
  formatSize,
  RATIO_SAFE,
  type Scale,
} from '../format.ts';
import { findPerp } from './handler.ts';

/** A position as the wire shows it, with what hangs on it. */
export function positionRecord(
  state: State,
  position: PositionView,
  isHedged: boolean,
): AssetPosition {
  const perp = present(findPerp(state, position.instrumentId), 'the perp of a position');
  const { liquidationPrice, unrealised, leverage, cost } = position;
  const paid = cost < 0n ? -cost : cost;
  return {
    position: {
      adlQuantile: position.adlQuantile,
      asset: String(position.instrumentId),
      coin: perp.name,
      cumFunding: {
        allTime: formatMoney(position.fundingAllTime),
        sinceChange: formatMoney(position.fundingSinceChange),
        sinceOpen: formatMoney(position.fundingSinceOpen),
      },
      entryPx: formatAveragePrice(perp, cost, position.size),
      leverage: positionLeverage(position),
      liquidationPx: liquidationPrice === undefined ? '' : formatPrice(perp, liquidationPrice),
      marginRatio: marginRatio(position),
      marginUsed: formatMoney(position.marginUsed),
      markPx: formatPrice(perp, position.mark),
      maxLeverage: position.maxLeverage,
      positionValue: formatMoney(position.notional),
      // unrealised / (|size| × entry / leverage); |size| × entry is the cost.
      returnOnEquity: paid === 0n ? '0' : formatRatio(unrealised * BigInt(leverage), paid),
      szi: formatSize(perp, position.size),
      unrealizedPnl: formatMoney(unrealised),
      updateTime: position.updatedMs,
      cumFee: formatMoney(negUsdc(position.feesPaid)),
      closedPnl: formatMoney(position.realised),
    },
    tpsl: position.tpsl.flatMap((each) => tpslEntry(perp, each)),
    type: isHedged ? 'Hedge' : 'OneWay',
  };
}

/** R-ratio of a scope; liquidation at 1 and below. */
export function marginRatio({ equity, risk }: { equity: bigint; risk: bigint }): string {
  return risk === 0n ? RATIO_SAFE : formatRatio(equity, risk);
}

/** The money that an isolated position has or owes beside its value; unset for a cross one. */
export function rawUsd(position: PositionView): string {
  if (!position.isIsolated) return '';
  return formatMoney(position.marginUsed - notional(position.mark, position.size));
}

function positionLeverage(position: PositionView): PositionLeverage {
  const type = position.isIsolated ? 'Isolated' : 'Cross';
  return { rawUsd: rawUsd(position), type, value: position.leverage };
}

/** An action of which both orders have fired has nothing left to show here. */
function tpslEntry(perp: Scale, entry: TpslView): PositionTpsl[] {
  const { takeProfit: tp, stopLoss: sl } = entry;
  if (tp === undefined && sl === undefined) return [];
  return [
    {
      createTime: entry.createdMs,
      quantity: formatSize(perp, entry.size),
      slOid: sl === undefined ? '' : String(sl.orderId),
      slOrderPrice: orderPrice(perp, sl),
      slOrderType: orderType(sl),
      slTriggerPrice: sl === undefined ? '' : formatPrice(perp, sl.triggerPrice),
      tpOid: tp === undefined ? '' : String(tp.orderId),
      tpOrderPrice: orderPrice(perp, tp),
      tpOrderType: orderType(tp),
      tpTriggerPrice: tp === undefined ? '' : formatPrice(perp, tp.triggerPrice),
    },
  ];
}

/** A market order has no price of its own. */
function orderPrice(perp: Scale, leg: TpslLeg | undefined): string {
  return leg === undefined || leg.isMarket ? '' : formatPrice(perp, leg.price);
}

function orderType(leg: TpslLeg | undefined): string {
  if (leg === undefined) return '';
  return leg.isMarket ? 'Market' : 'Limit';
}
