import * as z from 'zod';
import { anyCase, Cloid, Dec, Ms, OrderIdOrText, U32 } from '../primitives.ts';
import { exactlyOne } from './define-action.ts';

/** The times in force. `post_only`, the name of Alo on other venues, is also accepted. */
const Tif = anyCase(['Gtc', 'Gtd', 'Alo', 'Ioc', 'FrontendMarket'], { post_only: 'Alo' });

/** The relation between the orders in an action. */
export const Grouping = anyCase(['na', 'normalTpsl', 'positionTpsl']);

export const MarginMode = anyCase(['cross', 'isolated']);

const Limit = z.object({ tif: Tif, expireTime: Ms.optional() }).superRefine((limit, context) => {
  // An expiry that would have no effect is rejected, as is a Gtd order without one.
  if ((limit.tif === 'Gtd') === (limit.expireTime !== undefined)) return;
  context.addIssue({ code: 'custom', path: ['expireTime'] });
});

const Trigger = z.object({ isMarket: z.boolean(), triggerPx: Dec, tpsl: anyCase(['tp', 'sl']) });

const OrderKind = z
  .object({ limit: Limit.optional(), trigger: Trigger.optional() })
  .superRefine(exactlyOne(['limit', 'trigger']));

/**
 * An order in an action. On outcome markets, `b` and `r` together select the outcome; in hedge
 * mode, they select the position side.
 */
export const Order = z.object({
  a: U32,
  b: z.boolean(),
  p: Dec,
  s: Dec,
  r: z.boolean(),
  t: OrderKind,
  m: MarginMode.optional(),
  c: Cloid.optional(),
});

export const Cancel = z.object({
  a: U32,
  o: OrderIdOrText,
  grouping: anyCase(['tpsl']).optional(),
});

export const CancelByCloid = z.object({ asset: U32, cloid: Cloid });

export const OutcomeOperation = z.object({ asset: U32, sz: Dec });
