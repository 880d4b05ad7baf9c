import type { CommandResult, EngineEvent, EntryResult, Reject, SkippedEntry } from '@oddlot/engine';
import {
  type ActionResultStatus,
  type ActionStatus,
  type OrderResult,
  OUTCOME_ID_MIN,
  refusal,
  type Warning,
  type WireError,
  wireError,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { internalNameOf } from './action-to-command.ts';
import type { InstrumentLookup } from './instruments.ts';
import {
  asEnded,
  entriesOf,
  entryResult,
  entryTextOf,
  foundScale,
  refusedEntries,
  scaleOf,
  warningsOf,
} from './outcome/entries.ts';
import type { EndedLookup } from './outcome/ended-order.ts';
import { type EntryTexts, rejectToWire } from './reject-to-wire.ts';
import { authorityOf, type RequestCommand } from '@oddlot/replica/block';
import { insideVariant } from './wrapped-field.ts';

/**
 * The result of an action in replies and receipts. It is plain data, so that it can be stored as
 * JSON.
 */
export type ActionResult = NonNullable<ActionStatus['result']>;

/** The error in the form of a response body. */
export type ErrorBody = NonNullable<ActionStatus['error']>;

/** The ids created by an operator's action. */
export type Created = {
  readonly eventId?: number;
  readonly instrumentId?: number;
  readonly seriesSlug?: string;
};

export type WireOutcome = {
  readonly result: ActionResult;
  /** The first failure. Its message is also the error of the status. */
  readonly error: ErrorBody | null;
  /** True if the whole action was rejected and had no effect. */
  readonly refused: boolean;
  readonly warnings: readonly Warning[];
  readonly created?: Created;
  /** The block in which the last order left the delay queue, if that is a later block (R-delay). */
  readonly doneHeight?: number;
  /**
   * Set for orders on outcome markets. Clients that do not wait for the result get a trace id
   * instead (R-delay).
   */
  readonly isTraced?: true;
};

/** The result of one entry of an action. It is plain data, so that it can be stored as JSON. */
export type WireEntry = { readonly order: OrderResult; readonly error: ErrorBody | null };

type Failure = { readonly error: ErrorBody; readonly prefix: string };

export type OutcomeContext = {
  readonly instruments: InstrumentLookup;
  /** Returns an entry as the client wrote it. If absent, errors show the command's numbers. */
  readonly texts?: EntryTexts | undefined;
  /**
   * The events of the block that executed the command. They identify the orders that a cancelAll
   * found.
   */
  readonly events?: readonly EngineEvent[];
  /** Finds the final state of orders that the engine no longer stores. */
  readonly ended?: EndedLookup | undefined;
  /** The account that the request acts for; for an agent, it differs from the signer. */
  readonly account?: Address | undefined;
};

export function outcomeToWire(
  command: RequestCommand,
  outcome: CommandResult,
  given: OutcomeContext,
): WireOutcome {
  const context = { ...given, account: outcome.account };
  if (outcome.reject !== undefined) {
    const error = errorBody(translate(command, outcome.reject, outcome.rejectIndex, context));
    const orders =
      outcome.entries?.map((entry, index) =>
        orderResult(command, { entry, index, error: error.message }, context),
      ) ?? refusedEntries(command, error.message);
    return wireOutcome(command, { failure: { error, prefix: '' }, orders, refused: true });
  }
  const entries = (outcome.entries ?? []).map((entry, index) =>
    entryToWire(command, entry, index, context),
  );
  const { instruments } = context;
  const skipped = skippedFailure(command, outcome, instruments);
  const warnings = warningsOf(command, outcome, instruments);
  return wireOutcome(command, {
    ...entryResults(command, entries),
    ...(skipped === undefined ? {} : { failure: skipped }),
    warnings,
    created: outcome.created,
  });
}

/**
 * Translates the result of one order or cancel, immediately after its execution or its release from
 * the delay queue.
 */
export function entryToWire(
  command: RequestCommand,
  entry: EntryResult,
  index: number,
  context: OutcomeContext,
): WireEntry {
  const { reject } = entry;
  const error = reject === undefined ? null : errorBody(translate(command, reject, index, context));
  const translated = { entry, index, error: error?.message ?? null };
  return { order: orderResult(command, translated, context), error };
}

/** Combines the result of an entry with the final state of its order. */
function orderResult(
  command: RequestCommand,
  translated: {
    readonly entry: EntryResult;
    readonly index: number;
    readonly error: string | null;
  },
  { account, ended, events = [], instruments }: OutcomeContext,
): OrderResult {
  const { error, index } = translated;
  const entry = asEnded(command, translated, (target) => {
    // If the instrument is unknown, the filled size cannot be formatted.
    if (account === undefined || instruments(target.instrumentId) === undefined) return undefined;
    return ended?.(account, target);
  });
  const scale =
    command.type === 'cancelAll'
      ? foundScale(entry.orderId, events, instruments)
      : scaleOf(command, index, instruments);
  return entryResult(entry, index, scale, error);
}

/** Combines separately translated entries into the result of the command. */
export function entriesToWire(
  command: RequestCommand,
  entries: readonly WireEntry[],
  warnings: readonly Warning[],
): WireOutcome {
  return wireOutcome(command, { ...entryResults(command, entries), warnings });
}

/**
 * Translates a rejection of a command or of one of its entries, quoting values as the client wrote
 * them.
 */
function translate(
  command: RequestCommand,
  reject: Reject,
  index: number | undefined,
  { instruments, texts = () => undefined }: OutcomeContext,
): WireError {
  const entry = texts(index) ?? entryTextOf(command, index, instruments);
  const { nonce, multiSig } = authorityOf(command);
  const isWrapped = multiSig !== undefined;
  const found = entry === undefined ? {} : { entry };
  const { type } = command;
  return rejectToWire(reject, { instruments, nonce, isWrapped, command: type, ...found });
}

function entryResults(
  command: RequestCommand,
  entries: readonly WireEntry[],
): { readonly orders: OrderResult[] | undefined; readonly failure: Failure | undefined } {
  const found = entriesOf(command);
  if (found === undefined) return { orders: undefined, failure: undefined };
  const index = entries.findIndex(({ error }) => error !== null);
  const error = entries[index]?.error ?? null;
  const prefix = found.entries.length > 1 ? `${found.list}[${index}]: ` : '';
  return {
    orders: entries.map(({ order }) => order),
    failure: error === null ? undefined : { error, prefix },
  };
}

/**
 * Returns the failure of the first price skipped in a push. Its index is included even if the push
 * has only one price.
 */
function skippedFailure(
  command: RequestCommand,
  { skipped }: CommandResult,
  instruments: InstrumentLookup,
): Failure | undefined {
  const first = skipped?.[0];
  if (first === undefined) return undefined;
  const translated = skippedToWire(command, first, (id) => instruments(id)?.name ?? String(id));
  const error = insideVariant(translated, command.type);
  return { error: errorBody(error), prefix: `prices[${first.index}]: ` };
}

function wireOutcome(
  command: RequestCommand,
  parts: {
    failure: Failure | undefined;
    orders: OrderResult[] | undefined;
    warnings?: readonly Warning[];
    refused?: true;
    created?: Created | undefined;
  },
): WireOutcome {
  const { failure, orders, warnings = [], refused = false, created } = parts;
  const result: ActionResult = {
    type: internalNameOf(command),
    statuses: [failure === undefined ? 'success' : statusOf(failure)],
    ...(orders === undefined ? {} : { orders }),
  };
  return {
    result,
    error: failure?.error ?? null,
    refused,
    warnings,
    ...(created === undefined ? {} : { created }),
    ...(isOutcomeOrder(command) ? { isTraced: true } : {}),
  };
}

/**
 * Returns true for orders on outcome markets. The first order is sufficient, because all orders in
 * an action are for one exchange.
 */
export function isOutcomeOrder(command: RequestCommand): boolean {
  if (command.type !== 'placeOrders') return false;
  return (command.orders[0]?.instrumentId ?? 0) >= OUTCOME_ID_MIN;
}

/** Returns an error without the HTTP status. */
export function errorBody({ code, name, message, details }: WireError): ErrorBody {
  return { code, name, message, ...(details === undefined ? {} : { details }) };
}

function statusOf({ error, prefix }: Failure): ActionResultStatus {
  const { code, name, message, details } = error;
  return { error: prefix + message, code, name, ...(details === undefined ? {} : { details }) };
}

function skippedToWire(
  command: RequestCommand,
  { index, why }: SkippedEntry,
  nameOf: (instrumentId: number) => string,
): WireError {
  const field = `prices[${index}]`;
  if (command.type === 'pushPrice') return referenceToWire(command, { index, why });
  const price = command.type === 'pushOracle' ? command.prices[index] : undefined;
  const id = price?.instrumentId ?? 0;
  switch (why) {
    case 'instrumentUnknown':
      return refusal('instrumentNotFound', [], { field: `${field}.instrumentId`, got: id });
    case 'instrumentDelisted':
      return refusal('delisted', [nameOf(id)], { field: `${field}.instrumentId`, got: id });
    case 'priceOutOfRange':
      return refusal('priceOutOfRange', [], { field: `${field}.oraclePx` });
    case 'stale':
      return wireError('INVALID', 'stale', { field });
  }
}

/**
 * Translates a skipped reference price, which has no instrument and is identified by its symbol.
 */
function referenceToWire(
  { prices }: Extract<RequestCommand, { type: 'pushPrice' }>,
  { index, why }: SkippedEntry,
): WireError {
  const field = `prices[${index}]`;
  if (why === 'stale') return wireError('INVALID', 'stale', { field });
  if (why === 'priceOutOfRange') return refusal('priceOutOfRange', [], { field: `${field}.px` });
  const got = prices[index]?.symbol ?? null;
  return refusal('instrumentNotFound', [], { field: `${field}.symbol`, got });
}
