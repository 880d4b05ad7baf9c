import * as z from 'zod';
import { LIMITS, OUTCOME_ID_MIN } from '../limits.ts';
import {
  AccountType,
  Address,
  anyCase,
  Cloid,
  Dec,
  listOf,
  Ms,
  OrderIdOrText,
  U32,
} from '../primitives.ts';
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

/** Amends price and total size of a resting order, named by order id or by client order id. */
export const modify2 = defineAction({
  type: 'modify2',
  internalName: 'ModifyOrder',
  signedBy: 'agent',
  schema: z
    .object({
      type: z.literal('modify2'),
      a: U32,
      o: OrderIdOrText.optional(),
      c: Cloid.optional(),
      p: Dec,
      s: Dec,
    })
    .superRefine(exactlyOne(['o', 'c'])),
});

const Cancel = z.object({ a: U32, o: OrderIdOrText, grouping: anyCase(['tpsl']).optional() });

/** Cancels orders by order id. */
export const cancel = defineAction({
  type: 'cancel',
  internalName: 'CancelOrder',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('cancel'),
    cancels: listOf(Cancel, { name: 'cancels', min: 1, max: LIMITS.cancelsMax }),
  }),
});

const CancelByCloid = z.object({ asset: U32, cloid: Cloid });

/** Cancels orders by client order id. */
export const cancelByCloid = defineAction({
  type: 'cancelByCloid',
  internalName: 'CancelOrder',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('cancelByCloid'),
    cancels: listOf(CancelByCloid, { name: 'cancels', min: 1, max: LIMITS.cancelsMax }),
  }),
});

/** Cancels everything, or everything of one instrument or one sub-account. */
export const cancelAll = defineAction({
  type: 'cancelAll',
  internalName: 'CancelAll',
  signedBy: 'agent',
  schema: z
    .object({
      type: z.literal('cancelAll'),
      asset: U32.optional(),
      accountType: AccountType.optional(),
    })
    .superRefine(({ asset, accountType }, context) => {
      if (asset === undefined || accountType === undefined) return;
      // The id alone tells the sub-account, so a contradiction is a malformed request.
      const owner = asset < OUTCOME_ID_MIN ? 'perp' : 'outcome';
      if (owner !== accountType) {
        context.addIssue({ code: 'custom', path: ['accountType'], params: { allowed: [owner] } });
      }
    }),
});

/** A dead man's switch: cancels the account's orders at a time unless it is moved or removed. */
export const scheduleCancel = defineAction({
  type: 'scheduleCancel',
  internalName: 'ScheduleCancel',
  signedBy: 'agent',
  schema: z.object({ type: z.literal('scheduleCancel'), time: Ms.optional() }),
});

/** Closes a perp position and opens the same size on the other side. */
export const reversePosition = defineAction({
  type: 'reversePosition',
  internalName: 'ReversePosition',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('reversePosition'),
    asset: U32,
    isBuy: z.boolean().optional(),
  }),
});
