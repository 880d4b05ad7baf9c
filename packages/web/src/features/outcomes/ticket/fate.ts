import type {
  ActionStatus,
  Details,
  OrderResult,
  OrderUpdate,
  OutcomeOrderRelease,
  UpdatedOutcomeOrder,
} from '@oddlot/sdk';
import { createLive } from '../../../market/live.ts';
import { reader } from '../../../market/venue.ts';

export type SentOrder = {
  readonly id: number;
  /** What it is, in words: `Buy 20 Yes`. */
  readonly words: string;
  readonly sentMs: number;
  readonly delayMs: number;
  readonly traceId: string | undefined;
  /** The venue's answer did not come; what became of it is being asked for. */
  readonly isAskedFor?: boolean;
  readonly result?: OrderResult | undefined;
};

/** Where an order is: its four states as they are, and how it ended. */
export type Fate =
  | { readonly at: 'sent' }
  | { readonly at: 'queued' }
  | { readonly at: 'book'; readonly filled: string; readonly left: string }
  | { readonly at: 'filled'; readonly filled: string; readonly average: string | null }
  | { readonly at: 'ended'; readonly filled: string; readonly reason: string | undefined }
  | {
      readonly at: 'failed';
      readonly message: string;
      readonly details: Details | undefined;
    };

/** What the streams know of an order; where they do not, what its receipt says. */
export function fateOf(
  { result, traceId }: SentOrder,
  { releases, updates }: FatesState,
  receipt: ActionStatus | undefined,
): Fate {
  if (traceId === undefined) return result === undefined ? { at: 'sent' } : fromResult(result);
  const release = releases.get(traceId);
  if (release?.success === false) {
    const { details, message } = release.body;
    return { at: 'failed', message, details: details as Details | undefined };
  }
  const byTrace = [...updates.values()].findLast(({ order }) => order.traceId === traceId);
  const update = release?.oid === undefined ? byTrace : (updates.get(release.oid) ?? byTrace);
  if (update !== undefined) {
    const { order, reason, status } = update;
    if (status === 'filled') return { at: 'filled', filled: order.filledSz, average: order.avgPx };
    if (status === 'open') return { at: 'book', filled: order.filledSz, left: order.sz };
    return { at: 'ended', filled: order.filledSz, reason };
  }
  return fromReceipt(receipt) ?? { at: 'queued' };
}

function fromReceipt(receipt: ActionStatus | undefined): Fate | undefined {
  const result = receipt?.result?.orders?.[0];
  if (receipt?.status === 'failed') {
    const { details, message } = receipt.error;
    return { at: 'failed', message: result?.error ?? message, details };
  }
  return result === undefined ? undefined : fromResult(result);
}

function fromResult({ avgPx: average, error, filledSz: filled, state }: OrderResult): Fate {
  if (state === 'rejected') return { at: 'failed', message: error ?? '', details: undefined };
  if (state === 'filled') return { at: 'filled', filled, average };
  if (state === 'open') return { at: 'book', filled, left: '' };
  return { at: 'ended', filled, reason: error ?? undefined };
}

export function isOver({ at }: Fate): boolean {
  return at === 'filled' || at === 'ended' || at === 'failed';
}

export type OutcomeUpdate = OrderUpdate<UpdatedOutcomeOrder>;

export type FatesState = {
  readonly releases: ReadonlyMap<string, OutcomeOrderRelease>;
  readonly updates: ReadonlyMap<number, OutcomeUpdate>;
};

/** Of each kind; a ticket asks for the last few. */
const KEPT_MAX = 200;

/** What becomes of an account's orders on outcome markets, from the queue to their end. */
export const outcomeFates = createLive<string, FatesState>({
  key: (user) => user,
  initial: () => ({ releases: new Map(), updates: new Map() }),
  open: (user, store) => {
    const queue = reader.streams.outcomeOrderUpdate({ user, includeSuccess: true }, (event) => {
      if (event.type === 'reset') return;
      const { data } = event;
      store.setState({ releases: kept(store.getState().releases, [[data.traceId, data]]) });
    });
    const book = reader.streams.outcomeOrderUpdates({ user }, (event) => {
      if (event.type === 'reset') return;
      const told = event.data.map((update) => [update.order.oid, update] as const);
      store.setState({ updates: kept(store.getState().updates, told) });
    });
    return () => {
      queue.close();
      book.close();
    };
  },
});

function kept<Key, Value>(
  known: ReadonlyMap<Key, Value>,
  news: readonly (readonly [Key, Value])[],
): ReadonlyMap<Key, Value> {
  return new Map([...known, ...news].slice(-KEPT_MAX));
}
