import type { Reject } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';
import type { RejectContext, Translation, Translations } from './rejects/context.ts';
import { OPERATOR } from './rejects/operator.ts';
import { ORDERS } from './rejects/orders.ts';
import { SETTINGS } from './rejects/settings.ts';
import { WHO } from './rejects/who.ts';

export type { EntryText, RejectContext } from './rejects/context.ts';

/** A refusal of the engine in the wire's words, with what a client needs to correct itself. */
const TRANSLATIONS: Translations = { ...WHO, ...OPERATOR, ...ORDERS, ...SETTINGS };

export function rejectToWire(reject: Reject, context: RejectContext): WireError {
  const translate = TRANSLATIONS[reject.reason] as Translation<Reject>;
  return translate(reject, context);
}
