import {
  triggerOrder,
  type ActionReply,
  type AssetPosition,
  type Client,
  type TriggerOrder,
} from '@oddlot/sdk';
import { compare, isDecimal } from '../../../lib/decimal.ts';
import { isLong } from '../use-account.ts';
import { failureOf } from '../../../session/sent-once.ts';

/** One that waits has the mark on the side from which it fires, and that tells its kind. */
export function kindOfWaiting(
  { side, triggerPx }: Pick<TriggerOrder, 'side' | 'triggerPx'>,
  markPx: string,
): 'tp' | 'sl' {
  return (side === 'B') === compare(triggerPx, markPx) > 0 ? 'sl' : 'tp';
}

/** Whether a waiting one would be there already at another price: it would fire, and that is no amendment. */
export function isPastMark(
  trigger: Pick<TriggerOrder, 'side' | 'triggerPx'>,
  price: string,
  markPx: string,
): boolean {
  if (!isDecimal(price)) return false;
  const moved = { side: trigger.side, triggerPx: price };
  return kindOfWaiting(moved, markPx) !== kindOfWaiting(trigger, markPx);
}

/** The same of an exit of a position. */
export function isExitPastMark(
  row: AssetPosition,
  exit: 'takeProfit' | 'stopLoss',
  price: string | undefined,
  markPx: string,
): boolean {
  if (!isDecimal(price) || !isDecimal(markPx)) return false;
  const kind = kindOfWaiting({ side: isLong(row) ? 'A' : 'B', triggerPx: price }, markPx);
  return kind !== (exit === 'takeProfit' ? 'tp' : 'sl');
}

/** Whether another one can stand in its place: it still waits, and carries no exits of its own. */
export function isReplaceable({ tpslChildren, triggerState }: TriggerOrder): boolean {
  return triggerState === 'Pending' && (tpslChildren?.length ?? 0) === 0;
}

type TriggerPrices = {
  readonly triggerPrice: string;
  /** At the market without it. */
  readonly limitPrice: string | undefined;
};

/**
 * The venue does not amend what waits. The new one stands before the old one goes, so that nothing is ever unprotected;
 * when the new one is refused, the old one stays.
 */
export async function replaceTrigger(
  trader: Client,
  trigger: TriggerOrder,
  { limitPrice, triggerPrice }: TriggerPrices,
  markPx: string,
): Promise<ActionReply> {
  const { asset, marginMode, oid, reduceOnly, side, sz } = trigger;
  const order = triggerOrder({
    asset: Number(asset),
    side: side === 'B' ? 'buy' : 'sell',
    size: sz,
    kind: kindOfWaiting(trigger, markPx),
    triggerPrice,
    reduceOnly,
    marginMode: marginMode === 'Cross' ? 'cross' : 'isolated',
    ...(limitPrice === undefined ? {} : { limitPrice }),
  });
  const reply = await trader.exchange.order({ orders: [order] }, { confirm: 'executed' });
  if (failureOf(reply) !== undefined) return reply;
  const cancels = [{ a: Number(asset), o: oid }];
  return trader.exchange.cancel({ cancels }, { confirm: 'executed' });
}
