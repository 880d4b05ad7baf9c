import type { Reply } from '@oddlot/host/http';
import { DECIMAL_LENGTH_MAX } from '@oddlot/units';
import type { ActionResultStatus, ExchangeEnvelope } from '@oddlot/protocol';
import * as z from 'zod';
import type { Requester } from '../venue-access.ts';
import {
  cancelStatuses,
  orderStatuses,
  rejectedStatuses,
  type SentOrder,
} from './order-statuses.ts';
import { sentence, type Failure } from './sentences.ts';

/** The response to a signed action in Hyperliquid's format. */
export type ExchangeAnswer =
  | { readonly status: 'ok'; readonly response: object }
  | { readonly status: 'err'; readonly response: string };

const Order = z.object({
  a: z.number(),
  c: z
    .string()
    .max(2 * DECIMAL_LENGTH_MAX)
    .nullish(),
  t: z.looseObject({ trigger: z.unknown().optional() }),
});

/**
 * The fields of an action that are repeated in the response. The venue validates all other fields.
 */
const Sent = z.object({
  action: z.looseObject({
    type: z.string(),
    orders: z.array(Order).optional(),
    grouping: z.string().optional(),
    cancels: z
      .array(z.looseObject({ a: z.number().optional(), asset: z.number().optional() }))
      .optional(),
    modifies: z.array(z.looseObject({ order: Order })).optional(),
    order: Order.optional(),
  }),
});

type Action = z.output<typeof Sent>['action'];
type Envelope = Extract<ExchangeEnvelope, { status: 'ok' | 'err' | 'pending' }>;

const DONE: ExchangeAnswer = { status: 'ok', response: { type: 'default' } };

/** Returns the action in a request, or undefined if the text is not a request with an action. */
function actionOf(text: string): Action | undefined {
  try {
    const parsed = Sent.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.action : undefined;
  } catch {
    return undefined;
  }
}

export async function answerExchange(
  { ip, venue }: Requester,
  text: string,
): Promise<ExchangeAnswer> {
  const action = actionOf(text);
  // Some clients send `setReferrer` before their first order and expect success.
  if (action?.type === 'setReferrer') return DONE;
  const reply = await venue.submit(text, ip);
  return answerOf(action, envelopeOf(reply));
}

function envelopeOf({ body, bytes }: Reply): Envelope {
  return JSON.parse(bytes?.toString() ?? body) as Envelope;
}

function answerOf(action: Action | undefined, envelope: Envelope): ExchangeAnswer {
  if (envelope.status === 'err') return answerRejected(action, envelope);
  if (envelope.status === 'pending' || !('data' in envelope)) {
    const response =
      'The action is still waiting for its execution. Query orderStatus or historicalOrders.';
    return { status: 'err', response };
  }
  const { orders: results = [], statuses } = envelope.data.data;
  const failure = failureOf(statuses);
  switch (action?.type) {
    case 'order': {
      const sent = (action.orders ?? []).map(sentOrder);
      const orderResults = orderStatuses(sent, results, action.grouping ?? 'na', failure);
      return ok('order', orderResults);
    }
    case 'batchModify': {
      const sent = (action.modifies ?? []).map(({ order }) => sentOrder(order));
      return ok('order', orderStatuses(sent, results, 'na', failure));
    }
    case 'cancel':
    case 'cancelByCloid':
      return ok('cancel', cancelStatuses(cancelled(action), results));
    default:
      if (failure !== undefined) return { status: 'err', response: sentence(failure) };
      return DONE;
  }
}

function ok(type: string, statuses: readonly unknown[]): ExchangeAnswer {
  return { status: 'ok', response: { type, data: { statuses } } };
}

/** The names of errors that concern the whole request rather than one of its orders. */
const OF_REQUEST: ReadonlySet<string> = new Set([
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'BAD_NONCE',
  'MISMATCH',
  'NO_ACCOUNT',
  'GATED',
  'EXPIRED',
  'NOT_ALLOWED',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'INTERNAL',
]);

function answerRejected(
  action: Action | undefined,
  envelope: Extract<Envelope, { status: 'err' }>,
): ExchangeAnswer {
  const failure = failureIn(envelope);
  const assets = action === undefined ? undefined : assetsOf(action);
  const isOfRequest = envelope.name === undefined || OF_REQUEST.has(envelope.name);
  if (assets === undefined || isOfRequest) return { status: 'err', response: sentence(failure) };
  const type = action?.type.startsWith('cancel') === true ? 'cancel' : 'order';
  const isGroup = action?.grouping !== undefined && action.grouping !== 'na';
  return ok(type, rejectedStatuses(assets, failure, !isGroup));
}

/** Returns the asset of each entry of an action, or undefined for an action without entries. */
function assetsOf(action: Action): readonly number[] | undefined {
  switch (action.type) {
    case 'order':
      return action.orders?.map(({ a }) => a);
    case 'batchModify':
      return action.modifies?.map(({ order }) => order.a);
    case 'cancel':
    case 'cancelByCloid':
      return cancelled(action);
    default:
      return undefined;
  }
}

function cancelled({ cancels = [] }: Action): number[] {
  return cancels.map(({ a, asset }) => a ?? asset ?? 0);
}

function sentOrder({ a, c, t }: z.output<typeof Order>): SentOrder {
  return { asset: a, cloid: c ?? undefined, isTrigger: t.trigger !== undefined };
}

function failureIn(envelope: Extract<Envelope, { status: 'err' }>): Failure {
  const message = 'message' in envelope ? envelope.message : envelope.response;
  return { message, details: envelope.details };
}

function failureOf([status]: readonly ActionResultStatus[]): Failure | undefined {
  if (status === undefined || status === 'success') return undefined;
  return { message: status.error, details: status.details };
}
