import type { Reject } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';
import type { RejectContext, Translation, Translations } from './rejects/context.ts';
import { KEYS } from './rejects/keys.ts';
import { MONEY } from './rejects/money.ts';
import { OPERATOR } from './rejects/operator.ts';
import { ORDERS } from './rejects/orders.ts';
import { OUTCOME } from './rejects/outcome.ts';
import { SETTINGS } from './rejects/settings.ts';
import { WHO } from './rejects/who.ts';
import { insideVariant, insideWrapper } from './wrapped-field.ts';

export type { EntryText, RejectContext } from './rejects/context.ts';

/** A refusal of the engine in the wire's words, with what a client needs to correct itself. */
const TRANSLATIONS: Translations = {
  ...WHO,
  ...KEYS,
  ...MONEY,
  ...OPERATOR,
  ...ORDERS,
  ...OUTCOME,
  ...SETTINGS,
};

export function rejectToWire(reject: Reject, context: RejectContext): WireError {
  const translate = TRANSLATIONS[reject.reason] as Translation<Reject>;
  const error = insideVariant(translate(reject, context), context.command);
  return context.isWrapped === true ? insideWrapper(error) : error;
}
