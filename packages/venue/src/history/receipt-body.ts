import type { ActionResultStatus, OrderResult, Warning } from '@oddlot/protocol';
import type {
  ActionResult,
  Created,
  ErrorBody,
  WireOutcome,
} from '../translate/outcome-to-wire.ts';

/**
 * The outcome of an action as it is kept: the wire's own words, so that an old receipt reads the same
 * whatever the program has become. Orders are tuples, since most of a receipt would be their keys.
 */
type StoredBody = {
  readonly type: string;
  readonly status: ActionResultStatus;
  readonly orders?: readonly StoredOrder[];
  readonly error?: ErrorBody;
  readonly refused?: true;
  readonly warnings?: readonly Warning[];
  readonly created?: Created;
  /** Of the block that released the last order, when it waited. */
  readonly done?: number;
  /** Orders on outcome markets. */
  readonly traced?: true;
  /** The signer had no role, so there is no account acted for. */
  readonly noUser?: true;
};

type StoredOrder = readonly [
  oid: number | null,
  cloid: string | null,
  state: OrderResult['state'],
  filledSz: string,
  avgPx: string | null,
  error: string | null,
];

export function encodeReceiptBody(outcome: WireOutcome, hasUser: boolean): string {
  const { result, error, refused, warnings, created, doneHeight, isTraced } = outcome;
  const body: StoredBody = {
    type: result.type,
    status: result.statuses[0],
    ...(result.orders === undefined ? {} : { orders: result.orders.map(toStored) }),
    ...(error === null ? {} : { error }),
    ...(refused ? { refused } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(created === undefined ? {} : { created }),
    ...(doneHeight === undefined ? {} : { done: doneHeight }),
    ...(isTraced === undefined ? {} : { traced: isTraced }),
    ...(hasUser ? {} : { noUser: true }),
  };
  return JSON.stringify(body);
}

export function decodeReceiptBody(text: string): { outcome: WireOutcome; hasUser: boolean } {
  const body = JSON.parse(text) as StoredBody;
  const orders = body.orders?.map(fromStored);
  const result: ActionResult = {
    type: body.type,
    statuses: [body.status],
    ...(orders === undefined ? {} : { orders }),
  };
  const outcome = {
    result,
    error: body.error ?? null,
    refused: body.refused ?? false,
    warnings: body.warnings ?? [],
    ...(body.created === undefined ? {} : { created: body.created }),
    ...(body.done === undefined ? {} : { doneHeight: body.done }),
    ...(body.traced === undefined ? {} : { isTraced: body.traced }),
  };
  return { outcome, hasUser: body.noUser !== true };
}

function toStored({ oid, cloid, state, filledSz, avgPx, error }: OrderResult): StoredOrder {
  return [oid, cloid, state, filledSz, avgPx, error];
}

function fromStored(
  [oid, cloid, state, filledSz, avgPx, error]: StoredOrder,
  i: number,
): OrderResult {
  return { i, oid, cloid, state, filledSz, avgPx, error };
}
