import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Address, Cloid, Dec, Ms, U32, anyCase, listOf } from '../primitives.ts';
import { defineAction, exactlyOne } from './define-action.ts';

/** Times in force; the usual name of Alo on other venues is accepted too. */
const Tif = anyCase(['Gtc', 'Gtd', 'Alo', 'Ioc', 'FrontendMarket'], { post_only: 'Alo' });

/** How the orders of one action belong together. */
const Grouping = anyCase(['na', 'normalTpsl', 'positionTpsl']);

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
const Order = z.object({
  a: U32,
  b: z.boolean(),
  p: Dec,
  s: Dec,
  r: z.boolean(),
  t: OrderKind,
  m: MarginMode.optional(),
  c: Cloid.optional(),
});

/** Places up to 50 orders. */
export const order = defineAction({
  type: 'order',
  internalName: 'PlaceOrder',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('order'),
    grouping: Grouping,
    orders: listOf(Order, { name: 'orders', min: 1, max: LIMITS.ordersMax }),
    builder: z.object({ b: Address, f: U32 }).optional(),
  }),
});
