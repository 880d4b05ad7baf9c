import { number } from '../../../lib/format.ts';
import type { Words } from '../../../lib/words.ts';
import type { Draft } from './draft.ts';
import type { Drafted } from './orders-of-draft.ts';

/** The button says what it does. */
export function labelOf(draft: Draft, drafted: Drafted, base: string, t: Words): string {
  const { side, type } = draft;
  if (drafted.missing !== undefined) return t(`perps.ticket.missing.${drafted.missing}`);
  const words = { size: number(drafted.size), base };
  const { orders } = drafted.parameters;
  if (type === 'scale')
    return t(`perps.ticket.send.${side}Scale`, { ...words, count: orders.length });
  if (type === 'market') return t(`perps.ticket.send.${side}Market`, words);
  const price = number(type === 'limit' ? drafted.price : draft.triggerPrice);
  return t(`perps.ticket.send.${side}${type === 'limit' ? 'Limit' : 'Trigger'}`, {
    ...words,
    price,
  });
}
