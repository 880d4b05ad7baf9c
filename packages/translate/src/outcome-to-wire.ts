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

/** How an action ended, as replies and receipts tell it. Plain data that survives JSON. */
export type ActionResult = NonNullable<ActionStatus['result']>;

/** A refusal as it stands in a body. */
export type ErrorBody = NonNullable<ActionStatus['error']>;

/** What an operator's action brought into being. */
export type Created = {
  readonly eventId?: number;
  readonly instrumentId?: number;
  readonly seriesSlug?: string;
};

export type WireOutcome = {
  readonly result: ActionResult;
  /** The first failure; its message is also the error of the status. */
  readonly error: ErrorBody | null;
  /** True when the whole action was refused, so that nothing of it happened. */
  readonly refused: boolean;
  readonly warnings: readonly Warning[];
  readonly created?: Created;
  /** The block in which the last order left the delay queue, when that is a later one (R-delay). */
  readonly doneHeight?: number;
  /** Orders on outcome markets: whoever does not wait for them gets their trace id (R-delay). */
  readonly isTraced?: true;
};

/** What became of one entry of an action. Plain data that survives JSON. */
export type WireEntry = { readonly order: OrderResult; readonly error: ErrorBody | null };

type Failure = { readonly error: ErrorBody; readonly prefix: string };

export type OutcomeContext = {
  readonly instruments: InstrumentLookup;
  /** Gives an entry in the client's spelling; without it the command's own numbers serve. */
  readonly texts?: EntryTexts | undefined;
  /** Of the block that executed the command: they tell what it found by itself. */
  readonly events?: readonly EngineEvent[];
  /** How orders ended that the engine has forgotten. */
  readonly ended?: EndedLookup | undefined;
  /** The account acted for. */
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
    ...toldEntries(command, entries),
    ...(skipped === undefined ? {} : { failure: skipped }),
    warnings,
    created: outcome.created,
  });
}

/** One order or cancel of a command, right after its execution or its release. */
export function entryToWire(
  command: RequestCommand,
  entry: EntryResult,
  index: number,
  context: OutcomeContext,
): WireEntry {
  const { reject } = entry;
  const error = reject === undefined ? null : errorBody(translate(command, reject, index, context));
  const told = { entry, index, error: error?.message ?? null };
  return { order: orderResult(command, told, context), error };
}

/** How the order of an entry stands, beside what became of the entry. */
function orderResult(
  command: RequestCommand,
  told: { readonly entry: EntryResult; readonly index: number; readonly error: string | null },
  { account, ended, events = [], instruments }: OutcomeContext,
): OrderResult {
  const { error, index } = told;
  const entry = asEnded(command, told, (target) => {
    // Without the instrument the counts of what filled have no meaning.
    if (account === undefined || instruments(target.instrumentId) === undefined) return undefined;
    return ended?.(account, target);
  });
  const scale =
    command.type === 'cancelAll'
      ? foundScale(entry.orderId, events, instruments)
      : scaleOf(command, index, instruments);
  return entryResult(entry, index, scale, error);
}

/** The outcome of a command whose entries were told one by one. */
export function entriesToWire(
  command: RequestCommand,
  entries: readonly WireEntry[],
  warnings: readonly Warning[],
): WireOutcome {
  return wireOutcome(command, { ...toldEntries(command, entries), warnings });
}

/** A refusal of a command or of one of its entries, in the client's spelling. */
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

/** The entries as they are shown, and the first that failed. */
function toldEntries(
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

/** The first price of a push that did not count; its place is told even when it is the only one. */
function skippedFailure(
  command: RequestCommand,
  { skipped }: CommandResult,
  instruments: InstrumentLookup,
): Failure | undefined {
  const first = skipped?.[0];
  if (first === undefined) return undefined;
  const told = skippedToWire(command, first, (id) => instruments(id)?.name ?? String(id));
  const error = insideVariant(told, command.type);
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

/** True for orders on outcome markets; one action holds orders of one exchange. */
export function isOutcomeOrder(command: RequestCommand): boolean {
  if (command.type !== 'placeOrders') return false;
  return (command.orders[0]?.instrumentId ?? 0) >= OUTCOME_ID_MIN;
}

/** A refusal without its HTTP status. */
export function errorBody({ code, name, message, details }: WireError): ErrorBody {
  return { code, name, message, ...(details === undefined ? {} : { details }) };
}

function statusOf({ error, prefix }: Failure): ActionResultStatus {
  const { code, name, message, details } = error;
  return { error: prefix + message, code, name, ...(details === undefined ? {} : { details }) };
}

/** A price of a push that did not count, in the wire's words. */
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

/** A reference price has no instrument: its symbol stands for what it is about. */
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
