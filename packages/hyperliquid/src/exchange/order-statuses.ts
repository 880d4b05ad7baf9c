import type { OrderResult } from '@oddlot/protocol';
import { sentence, type Failure } from './sentences.ts';

/** The fields of a sent order that determine the format of its result. */
export type SentOrder = {
  readonly asset: number;
  readonly cloid: string | undefined;
  readonly isTrigger: boolean;
};

type Status = string | Readonly<Record<string, unknown>>;

const NO_MATCH = 'Order could not immediately match against any resting orders.';

/**
 * Returns one status per order, in the order of the request. An order's children have no state
 * until the order has filled, so their status shows the event they are waiting for.
 */
export function orderStatuses(
  orders: readonly SentOrder[],
  results: readonly OrderResult[],
  grouping: string,
  failure: Failure | undefined,
): Status[] {
  const parent = results[0];
  return orders.map((order, at) => {
    const result = results[at];
    if (result === undefined) return { error: 'The venue returned no result for this order.' };
    const isChild = grouping === 'normalTpsl' && at > 0 && order.isTrigger;
    if (isChild && result.state === 'open') {
      return parent?.state === 'filled' ? 'waitingForTrigger' : 'waitingForFill';
    }
    return orderStatus(order, result, failure);
  });
}

function orderStatus(
  { asset, cloid }: SentOrder,
  { avgPx, error, filledSz, oid, state }: OrderResult,
  failure: Failure | undefined,
): Status {
  const named = cloid === undefined ? {} : { cloid };
  if (state === 'open') return { resting: { oid, ...named } };
  if (state !== 'rejected' && filledSz !== '0') {
    return { filled: { totalSz: filledSz, avgPx: avgPx ?? '0.0', oid, ...named } };
  }
  if (error === null) return { error: `${NO_MATCH} asset=${asset}` };
  return { error: `${errorText(error, failure)} asset=${asset}` };
}

/** Returns the message of an error. Only the first failure of a request has details. */
function errorText(error: string, failure: Failure | undefined): string {
  const isFirst = failure?.message.endsWith(error) === true;
  return sentence(isFirst ? { message: error, details: failure.details } : { message: error });
}

/**
 * Returns the statuses for a request without an executed entry, either because one of them was
 * rejected or because each independent entry would fail. `failure` is the failure of one entry.
 */
export function rejectedStatuses(
  assets: readonly (number | undefined)[],
  failure: Failure,
  areIndependent: boolean,
): { readonly error: string }[] {
  const at = /\[(\d+)\]/.exec(failure.details?.field ?? '')?.[1];
  const text = sentence(failure);
  return assets.map((asset, index) => {
    const isCause = at === undefined || index === Number(at);
    const others = areIndependent
      ? `Not executed, because no entry would succeed. Entry ${at}: ${text}`
      : `Not executed, because entry ${at} was rejected: ${text}`;
    const why = isCause ? text : others;
    return { error: asset === undefined ? why : `${why} asset=${asset}` };
  });
}

export function cancelStatuses(
  assets: readonly number[],
  results: readonly OrderResult[],
): Status[] {
  return assets.map((asset, at) => {
    const error = results[at]?.error ?? null;
    if (error === null) return 'success';
    const text = sentence({ message: error });
    return { error: text.includes('asset=') ? text : `${text} asset=${asset}` };
  });
}
