import * as z from 'zod';
import { anyCase, Cloid, Dec, Ms, OrderIdOrText, U32 } from '../primitives.ts';
import { exactlyOne } from './define-action.ts';

/** Times in force; the usual name of Alo on other venues is accepted too. */
const Tif = anyCase(['Gtc', 'Gtd', 'Alo', 'Ioc', 'FrontendMarket'], { post_only: 'Alo' });

/** How the orders of one action belong together. */
export const Grouping = anyCase(['na', 'normalTpsl', 'positionTpsl']);

/** Margin modes as requests spell them. */
export const MarginMode = anyCase(['cross', 'isolated']);

const Limit = z.object({ tif: Tif, expireTime: Ms.optional() }).superRefine((limit, context) => {
  // An expiry that would silently not happen is refused, like a missing one.
  if ((limit.tif === 'Gtd') === (limit.expireTime !== undefined)) return;
  context.addIssue({ code: 'custom', path: ['expireTime'] });
});

const Trigger = z.object({ isMarket: z.boolean(), triggerPx: Dec, tpsl: anyCase(['tp', 'sl']) });

/** What kind of order it is: exactly one of the two keys is set. */
const OrderKind = z
  .object({ limit: Limit.optional(), trigger: Trigger.optional() })
  .superRefine(exactlyOne(['limit', 'trigger']));

/** One order. `b` and `r` together name the leg on outcome markets and in hedge mode. */
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

/** An order to cancel, by order id. */
export const Cancel = z.object({
  a: U32,
  o: OrderIdOrText,
  grouping: anyCase(['tpsl']).optional(),
});

/** An order to cancel, by client order id. */
export const CancelByCloid = z.object({ asset: U32, cloid: Cloid });

/** A split or merge of pairs of shares of one market. */
export const OutcomeOperation = z.object({ asset: U32, sz: Dec });
