import { OUTCOME_ID_MIN, refusal } from '@oddlot/protocol';
import type { Instrument } from '../../../translate/instruments.ts';
import { instrumentOf, type ChannelContext, type ChannelRefusal } from './node-channel.ts';

/**
 * The outcome markets of a subscription, or why one of them is none. Settled ones count: whoever comes
 * back to a group must not be refused because one of its markets has ended meanwhile.
 */
export function outcomeGroup(
  context: ChannelContext,
  instrumentIds: readonly number[],
):
  | { readonly ok: true; readonly markets: readonly Instrument[] }
  | ({ ok: false } & ChannelRefusal) {
  const markets: Instrument[] = [];
  for (const id of instrumentIds) {
    const found = instrumentOf(context, id);
    if (!found.ok) return found;
    if (id < OUTCOME_ID_MIN) return { ok: false, message: refusal('notOutcome', []).message };
    markets.push(found.instrument);
  }
  return { ok: true, markets };
}
