import type { CommandOutcome, EngineEvent, EntryOutcome } from '@oddlot/engine';
import type {
  ActionResultStatus,
  ActionStatus,
  OrderResult,
  Warning,
  WireError,
} from '@oddlot/protocol';
import { internalNameOf } from './action-types.ts';
import type { PerpLookup } from './actions/perp-lookup.ts';
import {
  entriesOf,
  entryResult,
  entryTextOf,
  foundScale,
  refusedEntries,
  scaleOf,
} from './outcome/entries.ts';
import { skippedToWire } from './outcome/skipped.ts';
import { warningsOf } from './outcome/warnings.ts';
import { rejectToWire } from './reject-to-wire.ts';
import { authorityOf, type RequestCommand } from './request-command.ts';
import type { EntryTexts } from './request-texts.ts';

/** How an action ended, as replies and receipts tell it. Plain data that survives JSON. */
export type ActionResult = NonNullable<ActionStatus['result']>;

/** A refusal as it stands in a body. */
export type ErrorBody = NonNullable<ActionStatus['error']>;

/** What an operator's action brought into being. */
export type Created = { readonly instrumentId: number };

export type WireOutcome = {
  readonly result: ActionResult;
  /** The first failure; its message is also the error of the status. */
  readonly error: ErrorBody | null;
  /** True when the whole action was refused, so that nothing of it happened. */
  readonly refused: boolean;
  readonly warnings: readonly Warning[];
  readonly created?: Created;
};

type Failure = { readonly error: WireError; readonly prefix: string };

export type OutcomeContext = {
  readonly perps: PerpLookup;
  /** Gives an entry in the client's spelling; without it the command's own numbers serve. */
  readonly texts?: EntryTexts | undefined;
  /** Of the block that executed the command: they tell what it found by itself. */
  readonly events?: readonly EngineEvent[];
};

export function outcomeToWire(
  command: RequestCommand,
  outcome: CommandOutcome,
  { perps, texts = () => undefined, events = [] }: OutcomeContext,
): WireOutcome {
  const translate = (reject: NonNullable<EntryOutcome['reject']>, index?: number) => {
    const entry = texts(index) ?? entryTextOf(command, index, perps);
    const { nonce, multiSig } = authorityOf(command);
    const isWrapped = multiSig !== undefined;
    const found = entry === undefined ? {} : { entry };
    return rejectToWire(reject, { perps, nonce, isWrapped, ...found });
  };
  const type = internalNameOf(command);
  if (outcome.reject !== undefined) {
    const error = translate(outcome.reject, outcome.rejectIndex);
    const orders = refusedEntries(command, error.message);
    return wireOutcome(type, { failure: { error, prefix: '' }, orders, refused: true });
  }
  const entries = outcome.entries ?? [];
  const found = entriesOf(command);
  let failure: Failure | undefined = skippedFailure(command, outcome, perps);
  const orders = entries.map((entry, index): OrderResult => {
    const error = entry.reject === undefined ? undefined : translate(entry.reject, index);
    if (error !== undefined) {
      const isOneOfMany = found !== undefined && found.entries.length > 1;
      failure ??= { error, prefix: isOneOfMany ? `${found.list}[${index}]: ` : '' };
    }
    const isFound = command.type === 'cancelAll';
    const scale = isFound
      ? foundScale(entry.orderId, events, perps)
      : scaleOf(command, index, perps);
    return entryResult(entry, index, scale, error);
  });
  return wireOutcome(type, {
    failure,
    orders: found === undefined ? undefined : orders,
    warnings: warningsOf(command, outcome, perps),
    created: outcome.created,
  });
}

/** The first price of a push that did not count; its place is told even when it is the only one. */
function skippedFailure(
  command: RequestCommand,
  { skipped }: CommandOutcome,
  perps: PerpLookup,
): Failure | undefined {
  const first = skipped?.[0];
  if (first === undefined) return undefined;
  const error = skippedToWire(command, first, (id) => perps(id)?.name ?? String(id));
  return { error, prefix: `prices[${first.index}]: ` };
}

function wireOutcome(
  type: string,
  parts: {
    failure: Failure | undefined;
    orders: OrderResult[] | undefined;
    warnings?: readonly Warning[];
    refused?: true;
    created?: Created | undefined;
  },
): WireOutcome {
  const { failure, orders, warnings = [], refused = false, created } = parts;
  const body = failure === undefined ? null : errorBody(failure.error);
  const result: ActionResult = {
    type,
    statuses: [body === null ? 'success' : statusOf(body, failure?.prefix ?? '')],
    ...(orders === undefined ? {} : { orders }),
  };
  const outcome = { result, error: body, refused, warnings };
  return created === undefined ? outcome : { ...outcome, created };
}

/** A refusal without its HTTP status. */
export function errorBody({ code, name, message, details }: WireError): ErrorBody {
  return { code, name, message, ...(details === undefined ? {} : { details }) };
}

function statusOf({ code, name, message, details }: ErrorBody, prefix: string): ActionResultStatus {
  const error = prefix + message;
  return { error, code, name, ...(details === undefined ? {} : { details }) };
}
