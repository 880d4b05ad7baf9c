import type { CommandOutcome, EntryOutcome, SignedCommand } from '@oddlot/engine';
import {
  ACTIONS,
  type ActionResultStatus,
  type ActionStatus,
  type OrderResult,
  type Warning,
  type WireError,
} from '@oddlot/protocol';
import type { PerpLookup } from './action-to-command.ts';
import { formatAveragePrice, formatPrice, formatSize, type Scale } from './format.ts';
import { rejectToWire, type EntryText } from './reject-to-wire.ts';

/** How an action ended, as replies and receipts tell it. Plain data that survives JSON. */
export type ActionResult = NonNullable<ActionStatus['result']>;

/** A refusal as it stands in a body. */
export type ErrorBody = NonNullable<ActionStatus['error']>;

export type WireOutcome = {
  readonly result: ActionResult;
  /** The first failure; its message is also the error of the status. */
  readonly error: ErrorBody | null;
  /** True when the whole action was refused, so that nothing of it happened. */
  readonly refused: boolean;
  readonly warnings: readonly Warning[];
};

/** The wire's names of what the engine calls otherwise. */
const NAMES = {
  placeOrders: { action: 'order', internal: ACTIONS.order.internalName },
  cancelOrders: { action: 'cancel', internal: ACTIONS.cancel.internalName },
  cancelByClientId: { action: 'cancelByCloid', internal: ACTIONS.cancelByCloid.internalName },
  approveAgent: { action: 'approveAgent', internal: ACTIONS.approveAgent.internalName },
} as const satisfies Record<SignedCommand['type'], { action: string; internal: string }>;

/** The `type` of the action that a command came from. */
export const actionTypeOf = (command: SignedCommand): string => NAMES[command.type].action;

/** The `data.type` of replies to a command. */
export const internalNameOf = (command: SignedCommand): string => NAMES[command.type].internal;

/** `texts` gives an entry in the client's spelling; without it the command's own numbers serve. */
export type EntryTexts = (index: number) => EntryText | undefined;

export function outcomeToWire(
  command: SignedCommand,
  outcome: CommandOutcome,
  { perps, texts = () => undefined }: { perps: PerpLookup; texts?: EntryTexts },
): WireOutcome {
  const entryText = (index: number) => texts(index) ?? entryTextOf(command, index, perps);
  const translate = (reject: NonNullable<EntryOutcome['reject']>, index?: number) => {
    const entry = index === undefined ? undefined : entryText(index);
    const { nonce } = command.authority;
    return rejectToWire(reject, { perps, nonce, ...(entry === undefined ? {} : { entry }) });
  };
  const type = internalNameOf(command);
  const count = entryCount(command);
  if (outcome.reject !== undefined) {
    const error = translate(outcome.reject, outcome.rejectIndex);
    const orders = refusedEntries(command, error.message);
    return wireOutcome(type, { error, prefix: '', orders, warnings: [], refused: true });
  }
  let first: { error: WireError; index: number } | undefined;
  const entries = outcome.entries ?? [];
  const orders = entries.map((entry, index): OrderResult => {
    const error = entry.reject === undefined ? undefined : translate(entry.reject, index);
    if (error !== undefined) first ??= { error, index };
    return entryResult(entry, index, scaleOf(command, index, perps), error);
  });
  const list = command.type === 'placeOrders' ? 'orders' : 'cancels';
  return wireOutcome(type, {
    error: first?.error,
    prefix: first !== undefined && count > 1 ? `${list}[${first.index}]: ` : '',
    orders: count > 0 ? orders : undefined,
    warnings: warningsOf(command, entries, perps),
    refused: false,
  });
}

function wireOutcome(
  type: string,
  parts: {
    error: WireError | undefined;
    prefix: string;
    orders: OrderResult[] | undefined;
    warnings: readonly Warning[];
    refused: boolean;
  },
): WireOutcome {
  const { error, prefix, orders, warnings, refused } = parts;
  const body = error === undefined ? null : errorBody(error);
  const result: ActionResult = {
    type,
    statuses: [body === null ? 'success' : statusOf(body, prefix)],
    ...(orders === undefined ? {} : { orders }),
  };
  return { result, error: body, refused, warnings };
}

/** A refusal without its HTTP status. */
export function errorBody({ code, name, message, details }: WireError): ErrorBody {
  return { code, name, message, ...(details === undefined ? {} : { details }) };
}

function statusOf({ code, name, message, details }: ErrorBody, prefix: string): ActionResultStatus {
  const error = prefix + message;
  return { error, code, name, ...(details === undefined ? {} : { details }) };
}

function entryCount(command: SignedCommand): number {
  if (command.type === 'approveAgent') return 0;
  return command.type === 'placeOrders' ? command.orders.length : command.cancels.length;
}

function refusedEntries(command: SignedCommand, error: string): OrderResult[] | undefined {
  if (command.type === 'approveAgent') return undefined;
  const entries = command.type === 'placeOrders' ? command.orders : command.cancels;
  return entries.map((entry, i) => ({
    i,
    oid: 'orderId' in entry ? entry.orderId : null,
    cloid: ('clientOrderId' in entry ? entry.clientOrderId : undefined) ?? null,
    state: 'rejected',
    filledSz: '0',
    avgPx: null,
    error,
  }));
}

function entryResult(
  entry: EntryOutcome,
  i: number,
  scale: Scale,
  error: WireError | undefined,
): OrderResult {
  const { filled, filledNotional } = entry;
  return {
    i,
    oid: entry.orderId ?? null,
    cloid: entry.clientOrderId ?? null,
    state: entry.state,
    filledSz: filled === 0 ? '0' : formatSize(scale, filled),
    avgPx: filled === 0 ? null : formatAveragePrice(scale, filledNotional, filled),
    error: error?.message ?? null,
  };
}

function scaleOf(command: SignedCommand, index: number, perps: PerpLookup): Scale {
  if (command.type === 'approveAgent') return { szDecimals: 0 };
  const entries = command.type === 'placeOrders' ? command.orders : command.cancels;
  return perps(entries[index]?.instrumentId ?? 0) ?? { szDecimals: 0 };
}

/** An entry in the command's numbers, for logs that do not hold the request. */
function entryTextOf(
  command: SignedCommand,
  index: number,
  perps: PerpLookup,
): EntryText | undefined {
  const scale = scaleOf(command, index, perps);
  if (command.type === 'placeOrders') {
    const order = command.orders[index];
    if (order === undefined) return undefined;
    return {
      field: `orders[${index}]`,
      price: formatPrice(scale, order.price),
      size: formatSize(scale, order.size),
      ...(order.clientOrderId === undefined ? {} : { clientOrderId: order.clientOrderId }),
      ...(order.expireMs === undefined ? {} : { expireMs: order.expireMs }),
    };
  }
  if (command.type === 'approveAgent') return undefined;
  const cancel = command.cancels[index];
  if (cancel === undefined) return undefined;
  const field = `cancels[${index}]`;
  return 'orderId' in cancel
    ? { field, orderId: cancel.orderId }
    : { field, clientOrderId: cancel.clientOrderId };
}

function warningsOf(
  command: SignedCommand,
  entries: readonly EntryOutcome[],
  perps: PerpLookup,
): Warning[] {
  if (command.type !== 'placeOrders') return [];
  const warnings: Warning[] = [];
  if (command.builder !== undefined) warnings.push(builderFeeDropped(command.builder.feeTenthsBp));
  for (const [i, { clamped, clipped }] of entries.entries()) {
    if (clamped === undefined && clipped === undefined) continue;
    const scale = scaleOf(command, i, perps);
    if (clamped !== undefined) {
      const details = { i, ...spanText(clamped, (price) => formatPrice(scale, price)) };
      const message = 'The price was moved towards the mark';
      warnings.push({ code: PRICE_CLAMPED, message, details });
    }
    if (clipped !== undefined) {
      const details = { i, ...spanText(clipped, (size) => formatSize(scale, size)) };
      const message = 'The reduce-only size was cut to the position';
      warnings.push({ code: REDUCE_ONLY_CLIPPED, message, details });
    }
  }
  return warnings;
}

const PRICE_CLAMPED = 'PRICE_CLAMPED';
/** Told only to clients that asked for the result of the execution. */
export const REDUCE_ONLY_CLIPPED = 'REDUCE_ONLY_CLIPPED';

/** No builder can be approved yet, so every builder fee is dropped. */
function builderFeeDropped(f: number): Warning {
  const details = { reason: 'notApproved', f, allowed: 0 };
  return { code: 'BUILDER_FEE_DROPPED', message: 'The builder fee was dropped', details };
}

function spanText(
  span: { readonly from: number; readonly to: number },
  text: (value: number) => string,
): { from: string; to: string } {
  return { from: text(span.from), to: text(span.to) };
}
