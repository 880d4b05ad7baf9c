import type { HistOrder } from '@oddlot/sdk';

/** What a trigger was for: a sell above the mark takes a profit, one below it stops a loss; a buy the other way. */
export function triggerKind({
  side,
  triggerCondition,
}: Pick<HistOrder, 'side' | 'triggerCondition'>): 'takeProfit' | 'stopLoss' | undefined {
  const isAbove = triggerCondition.startsWith('Price above');
  if (!isAbove && !triggerCondition.startsWith('Price below')) return undefined;
  return isAbove === (side === 'A') ? 'takeProfit' : 'stopLoss';
}
