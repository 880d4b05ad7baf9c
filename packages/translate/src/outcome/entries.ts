import type {
  BuilderDrop,
  CommandResult,
  EngineEvent,
  EntryResult,
  OperateOutcomeCommand,
} from '@oddlot/engine';
import { MESSAGES, type OrderResult, type Warning } from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import type { InstrumentLookup } from '../instruments.ts';
import { formatAveragePrice, formatPrice, formatSize, type Scale } from '../format.ts';
import type { EntryText } from '../reject-to-wire.ts';
import type { RequestCommand } from '@oddlot/replica/block';
import type { EndedOrder, OrderTarget } from './ended-order.ts';

type CommandEntry = {
  readonly instrumentId: number;
  readonly orderId?: number;
  readonly clientOrderId?: string;
  readonly price?: number;
  readonly size?: number;
  readonly expireMs?: number;
};

/**
 * Replaces a rejected amend or cancel with the final state of its order if that is still stored.
 */
export function asEnded(
  command: RequestCommand,
  { entry, index }: { readonly entry: EntryResult; readonly index: number },
  ended: (target: OrderTarget) => EndedOrder | undefined,
): EntryResult {
  if (entry.state !== 'rejected' || command.type === 'placeOrders') return entry;
  const target = entriesOf(command)?.entries[index];
  const known = target === undefined ? undefined : ended(target);
  return known === undefined ? entry : { ...entry, ...known };
}

/**
 * Returns the entries of a command and the name of their list in the API, or undefined if the
 * command has no entries.
 */
export function entriesOf(
  command: RequestCommand,
): { readonly list: string; readonly entries: readonly CommandEntry[] } | undefined {
  switch (command.type) {
    case 'placeOrders':
      return { list: 'orders', entries: command.orders };
    case 'cancelOrders':
    case 'cancelByClientId':
      return { list: 'cancels', entries: command.cancels };
    case 'modifyOrder': {
      const { instrumentId, price, size, target } = command;
      return { list: '', entries: [{ instrumentId, price, size, ...target }] };
    }
    case 'cancelAll':
      // The entries of a cancelAll are the orders it found, which are only in its result.
      return { list: '', entries: [] };
    default:
      return noEntries(command);
  }
}

type WithoutEntries = Exclude<
  RequestCommand,
  { readonly orders: unknown } | { readonly cancels: unknown } | { readonly target: unknown }
>;

/**
 * Accepts only commands without a list of orders, so that a new command with a list does not
 * compile until it is handled above.
 */
function noEntries(_command: WithoutEntries): undefined {
  return undefined;
}

export function scaleOf(
  command: RequestCommand,
  index: number,
  instruments: InstrumentLookup,
): Scale {
  return instruments(entriesOf(command)?.entries[index]?.instrumentId ?? -1) ?? NO_SCALE;
}

const NO_SCALE: Scale = { szDecimals: 0 };

/**
 * Returns the scale of an order found by the command itself, as with cancelAll. Only the block's
 * events identify such an order.
 */
export function foundScale(
  orderId: number | undefined,
  events: readonly EngineEvent[],
  instruments: InstrumentLookup,
): Scale {
  const instrumentId = orderId === undefined ? undefined : ordersIn(events).get(orderId);
  return (instrumentId === undefined ? undefined : instruments(instrumentId)) ?? NO_SCALE;
}

/**
 * The instruments by order id, computed once per block, because one command can end thousands of
 * orders.
 */
const instrumentsFound = new WeakMap<readonly EngineEvent[], ReadonlyMap<number, number>>();

function ordersIn(events: readonly EngineEvent[]): ReadonlyMap<number, number> {
  const known = instrumentsFound.get(events);
  if (known !== undefined) return known;
  const orders = new Map<number, number>();
  for (const event of events) {
    if (event.type === 'orderUpdated') orders.set(event.order.orderId, event.order.instrumentId);
  }
  instrumentsFound.set(events, orders);
  return orders;
}

export function refusedEntries(command: RequestCommand, error: string): OrderResult[] | undefined {
  return entriesOf(command)?.entries.map(({ orderId, clientOrderId }, i) => ({
    i,
    oid: orderId ?? null,
    cloid: clientOrderId ?? null,
    state: 'rejected',
    filledSz: '0',
    avgPx: null,
    error,
  }));
}

export function entryResult(
  entry: EntryResult,
  i: number,
  scale: Scale,
  error: string | null,
): OrderResult {
  const { filled, filledNotional } = entry;
  return {
    i,
    oid: entry.orderId ?? null,
    cloid: entry.clientOrderId ?? null,
    // An order in the delay queue is shown as open, like a trigger order waiting for its price.
    state: entry.state === 'queued' ? 'open' : entry.state,
    filledSz: filled === 0 ? '0' : formatSize(scale, filled),
    avgPx: filled === 0 ? null : formatAveragePrice(scale, filledNotional, filled),
    error,
  };
}

/** Returns an entry with the command's numbers, for logs that do not include the request. */
export function entryTextOf(
  command: RequestCommand,
  index: number | undefined,
  instruments: InstrumentLookup,
): EntryText | undefined {
  if (command.type === 'operateOutcome') return operationText(command, index, instruments);
  const found = entriesOf(command);
  if (found === undefined) return { field: '', instrument: 'asset', ...amountOf(command) };
  const isSingle = command.type === 'modifyOrder';
  const at = isSingle ? 0 : index;
  const entry = at === undefined ? undefined : found.entries[at];
  if (entry === undefined || at === undefined) return undefined;
  const scale = scaleOf(command, at, instruments);
  const { clientOrderId, expireMs, orderId, price, size } = entry;
  return {
    field: isSingle ? '' : `${found.list}[${at}]`,
    ...(price === undefined ? {} : { price: formatPrice(scale, price) }),
    ...(size === undefined ? {} : { size: formatSize(scale, size) }),
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
    ...(orderId === undefined ? {} : { orderId }),
    ...(expireMs === undefined ? {} : { expireMs }),
  };
}

function operationText(
  { entries, kind }: OperateOutcomeCommand,
  index: number | undefined,
  instruments: InstrumentLookup,
): EntryText | undefined {
  const entry = index === undefined ? undefined : entries[index];
  if (entry === undefined) return undefined;
  const size = formatSize(instruments(entry.instrumentId) ?? NO_SCALE, entry.size);
  return { field: `${kind}[${index}]`, instrument: 'asset', sizePart: 'sz', size };
}

/**
 * Returns the amount of a command, unless it was rounded and thus differs from the client's text.
 */
function amountOf(command: RequestCommand): Pick<EntryText, 'amount'> {
  switch (command.type) {
    case 'sendToken':
    case 'withdraw':
    case 'treasurySend':
      if (command.amountInexact === true) return {};
      return { amount: formatMoney(command.amountMicroUsdc) };
    case 'updateIsolatedMargin':
      return {};
    default:
      return noAmount(command);
  }
}

type WithoutAmount = Exclude<RequestCommand, { readonly amountMicroUsdc: unknown }>;

/**
 * Accepts only commands that do not move money, so that a new command that moves money does not
 * compile until it is handled above.
 */
function noAmount(_command: WithoutAmount): Pick<EntryText, 'amount'> {
  return {};
}

const PRICE_CLAMPED = 'PRICE_CLAMPED';
/** The code of a warning sent only to clients that requested the execution result. */
export const REDUCE_ONLY_CLIPPED = 'REDUCE_ONLY_CLIPPED';
/**
 * The code of a warning sent only to clients that did not wait for the result, because the result
 * includes the same information.
 */
export const CANCEL_QUEUED = 'CANCEL_QUEUED';

/**
 * Returns warnings about an accepted action whose effect may differ from what the sender intended.
 */
export function warningsOf(
  command: RequestCommand,
  { agentReused, builderDrop, entries = [] }: CommandResult,
  instruments: InstrumentLookup,
): Warning[] {
  if (command.type === 'approveAgent') {
    return agentReused === true ? [agentReusedWarning(command.agent)] : [];
  }
  if (command.type === 'cancelByClientId') return queuedCancels(entries);
  if (command.type !== 'placeOrders') return [];
  const warnings: Warning[] = [];
  if (builderDrop !== undefined) warnings.push(builderFeeDropped(builderDrop));
  for (const [i, { clamped, clipped }] of entries.entries()) {
    if (clamped === undefined && clipped === undefined) continue;
    const scale = scaleOf(command, i, instruments);
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

/**
 * Warns that requests signed in advance with the former agent's key cannot be distinguished from
 * new ones (R-nonce).
 */
function agentReusedWarning(agent: string): Warning {
  const message =
    'The address was an agent before; actions that its key signed in advance can still ' +
    'be executed';
  return { code: 'AGENT_REUSED', message, details: { agent } };
}

/** Warns about cancels of orders in the delay queue (R-delay). */
function queuedCancels(entries: readonly EntryResult[]): Warning[] {
  return entries.flatMap(({ reject }, i) => {
    if (reject?.reason !== 'orderQueued') return [];
    return [{ code: CANCEL_QUEUED, message: MESSAGES.orderQueued(), details: { i } }];
  });
}

/**
 * Warns that the order was executed without the builder fee, with the first reason that applied
 * (R-builder).
 */
function builderFeeDropped({ reason, feeTenthsBp, allowedTenthsBp }: BuilderDrop): Warning {
  const details = { reason, f: feeTenthsBp, allowed: allowedTenthsBp };
  return { code: 'BUILDER_FEE_DROPPED', message: 'The builder fee was dropped', details };
}

function spanText(
  span: { readonly from: number; readonly to: number },
  text: (value: number) => string,
): { from: string; to: string } {
  return { from: text(span.from), to: text(span.to) };
}
