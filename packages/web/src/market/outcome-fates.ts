import type { OrderUpdate, OutcomeOrderRelease, UpdatedOutcomeOrder } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

export type OutcomeUpdate = OrderUpdate<UpdatedOutcomeOrder>;

export type FatesState = {
  /** How orders left the delay queue, by trace id. */
  readonly releases: ReadonlyMap<string, OutcomeOrderRelease>;
  /** What the book last said of each order, by order id. */
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
