import type { Reject } from '@oddlot/engine';
import { bodyOfRequest, type WireError } from '@oddlot/protocol';
import type { EntryText, RejectContext, Translation, Translations } from './rejects/context.ts';
import { KEYS, MONEY, SETTINGS, WHO } from './rejects/account.ts';
import { OPERATOR } from './rejects/operator.ts';
import { ORDERS, OUTCOME } from './rejects/orders.ts';
import { insideVariant, insideWrapper } from './wrapped-field.ts';
export type { EntryText, RejectContext } from './rejects/context.ts';

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

/**
 * Returns the strings of an entry as the client wrote them, which cannot be derived from the
 * engine's numbers. If the index is absent, returns the action's own strings.
 */
export type EntryTexts = (index: number | undefined) => EntryText | undefined;

type AnyOrder = {
  readonly p: string;
  readonly s: string;
  readonly c?: string | undefined;
  readonly t: {
    readonly limit?: { readonly expireTime?: number | undefined } | undefined;
    readonly trigger?: { readonly triggerPx: string } | undefined;
  };
};

type AnyCancel = {
  readonly o?: number | string | undefined;
  readonly cloid?: string | undefined;
};

type AnyOperation = { readonly sz: string };

/**
 * The fields of any /exchange action. A single action has the same fields at its top level as the
 * entries of a list.
 */
type AnyAction = {
  readonly type: string;
  readonly orders?: readonly AnyOrder[] | undefined;
  /**
   * The entries of a Hyperliquid request that replaces several orders; `order` is set if it
   * replaces a single one.
   */
  readonly modifies?: readonly { readonly order: AnyOrder }[] | undefined;
  readonly order?: AnyOrder | undefined;
  readonly cancels?: readonly AnyCancel[] | undefined;
  readonly split?: readonly AnyOperation[] | undefined;
  readonly merge?: readonly AnyOperation[] | undefined;
  readonly a?: number | undefined;
  readonly asset?: number | undefined;
  readonly o?: number | string | undefined;
  readonly c?: string | undefined;
  readonly p?: string | undefined;
  readonly s?: string | undefined;
  readonly time?: number | undefined;
  readonly amount?: string | undefined;
  readonly treasurySend?: { readonly amount: string } | undefined;
  readonly payload?: { readonly action: AnyAction } | undefined;
};

/** Returns the strings of an /exchange action, or of the inner action of a multiSig wrapper. */
export function actionTexts(action: object): EntryTexts {
  const { payload, modifies, order, cancels, split, merge, ...single } = action as AnyAction;
  if (payload !== undefined) return actionTexts(payload.action);
  const orders = single.orders ?? modifies?.map((each) => each.order) ?? (order && [order]);
  const operations = split ?? merge;
  if (operations !== undefined) {
    const list = split === undefined ? 'merge' : 'split';
    return (index) => operationText(operations, list, index);
  }
  return (index) => {
    if (orders === undefined && cancels === undefined) return singleText(single);
    if (index === undefined) return undefined;
    const placed = orders?.[index];
    if (placed !== undefined) return orderText(placed, index);
    const cancel = cancels?.[index];
    return cancel === undefined ? undefined : cancelText(cancel, index);
  };
}

/** Returns the strings of a logged request; the body is parsed only if one of them is needed. */
export function requestTexts(request: string | undefined): EntryTexts {
  let texts: EntryTexts | undefined;
  return (index) => {
    if (request === undefined) return undefined;
    texts ??= actionTexts((bodyOfRequest(request) as { action: AnyAction }).action);
    return texts(index);
  };
}

function orderText({ p, s, c, t }: AnyOrder, index: number): EntryText {
  const expireMs = t.limit?.expireTime;
  return {
    field: `orders[${index}]`,
    price: p,
    size: s,
    ...(t.trigger === undefined ? {} : { triggerPrice: t.trigger.triggerPx }),
    ...(c === undefined ? {} : { clientOrderId: c }),
    ...(expireMs === undefined ? {} : { expireMs }),
  };
}

function operationText(
  operations: readonly AnyOperation[],
  list: string,
  index: number | undefined,
): EntryText | undefined {
  const size = index === undefined ? undefined : operations[index]?.sz;
  if (size === undefined) return undefined;
  return { field: `${list}[${index}]`, instrument: 'asset', sizePart: 'sz', size };
}

function cancelText({ o, cloid }: AnyCancel, index: number): EntryText {
  return {
    field: `cancels[${index}]`,
    ...(o === undefined ? {} : { orderId: Number(o) }),
    ...(cloid === undefined ? {} : { clientOrderId: cloid }),
  };
}

function singleText({ a, asset, o, c, p, s, time, ...money }: AnyAction): EntryText {
  const amount = money.amount ?? money.treasurySend?.amount;
  const instrument = a !== undefined ? 'a' : asset !== undefined ? 'asset' : 'instrumentId';
  return {
    field: '',
    instrument,
    ...(p === undefined ? {} : { price: p }),
    ...(s === undefined ? {} : { size: s }),
    ...(o === undefined ? {} : { orderId: Number(o) }),
    ...(c === undefined ? {} : { clientOrderId: c }),
    ...(time === undefined ? {} : { expireMs: time }),
    ...(amount === undefined ? {} : { amount }),
  };
}
