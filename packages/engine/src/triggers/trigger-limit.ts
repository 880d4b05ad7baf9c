import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { limitFrom } from '../perp-orders/market-price.ts';
import type { Perp } from '../state/perp.ts';
import type { TriggerOrderRequest } from './validate-trigger.ts';

type Triggered = Pick<TriggerOrderRequest, 'trigger'> & Pick<OrderRequest, 'isBuy'>;

/** Whether the oracle itself has reached the price that an order waited for. */
export function isOracleBeyond(perp: Perp, { isBuy, trigger }: Triggered): boolean {
  const firesAbove = isBuy === (trigger.kind === 'stopLoss');
  return firesAbove ? perp.oracle >= trigger.price : perp.oracle <= trigger.price;
}

/**
 * How far from the mark a market trigger goes (R-trigger). While the oracle is not where the order
 * waited for the price to be, only the book has carried the mark there: then it stays near the oracle
 * as well, so that nobody is paid for clearing a book.
 */
export function triggerLimit(perp: Perp, order: Triggered, slippageE8: number): number {
  const { isBuy } = order;
  if (isOracleBeyond(perp, order)) return limitFrom(perp, perp.mark, isBuy, slippageE8);
  const near = LIMITS.triggerSlippageE8;
  const fromMark = limitFrom(perp, perp.mark, isBuy, near);
  const fromOracle = limitFrom(perp, perp.oracle, isBuy, near);
  return isBuy ? Math.min(fromMark, fromOracle) : Math.max(fromMark, fromOracle);
}
