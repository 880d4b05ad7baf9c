import { number } from '../../../lib/format.ts';
import type { Words } from '../../../lib/words.ts';
import { isTriggerType, type Draft } from './draft.ts';
import type { Drafted } from './orders-of-draft.ts';

/** The button says what it does; in hedge mode also to which of the two positions. */
export function labelOf(
  draft: Draft,
  drafted: Drafted,
  { base, isHedge }: { readonly base: string; readonly isHedge: boolean },
  t: Words,
): string {
  const { isClosing, limitPrice, side, triggerPrice, type } = draft;
  if (drafted.missing !== undefined) return t(`perps.ticket.missing.${drafted.missing}`);
  const does = isHedge
    ? t(`perps.ticket.${isClosing ? 'closing' : 'opening'}.${side}`)
    : t(`perps.${side}`);
  const words = { does, size: number(drafted.size), base };
  if (type === 'scale') {
    return t('perps.ticket.send.scale', { ...words, count: drafted.parameters.orders.length });
  }
  if (type === 'market') return t('perps.ticket.send.market', words);
  if (!isTriggerType(type)) {
    return t('perps.ticket.send.limit', { ...words, price: number(drafted.price) });
  }
  const waiting = { ...words, price: number(triggerPrice), limit: number(limitPrice) };
  return limitPrice === ''
    ? t('perps.ticket.send.trigger', waiting)
    : t('perps.ticket.send.triggerLimit', waiting);
}
