import type { Fill, FundingRow, HistOrderRow, LedgerUpdate } from '@oddlot/sdk';
import type { StoreApi } from 'zustand/vanilla';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

/** What an account did: the newest 200 rows first, then each new one. Older ones are asked for page by page. */

export type ListState<Row> = {
  /** Newest first. */
  readonly rows: readonly Row[];
  readonly isLoaded: boolean;
  /** What came last while the page was open, oldest first; those of a first load are no news. */
  readonly fresh: readonly Row[];
};

export const fillLists = listOf<Fill>((user, take) =>
  reader.streams.userFills({ user, accountType: ['perp', 'outcome'] }, (event) => {
    if (event.type === 'data')
      take(event.data.fills, event.isSnapshot, ({ oid, side, tid }) => `${tid} ${oid} ${side}`);
  }),
);

export const orderLists = listOf<HistOrderRow>((user, take) =>
  reader.streams.userHistoricalOrders({ user, accountType: ['perp', 'outcome'] }, (event) => {
    if (event.type === 'data') {
      take(event.data.orderHistory, event.isSnapshot, ({ order }) => order.oid);
    }
  }),
);

export const fundingLists = listOf<FundingRow>((user, take) =>
  reader.streams.userFundings({ user }, (event) => {
    if (event.type === 'data') {
      take(
        event.data.fundings,
        event.isSnapshot,
        ({ coin, szi, time }) => `${time} ${coin} ${szi}`,
      );
    }
  }),
);

export const ledgerLists = listOf<LedgerUpdate>((user, take) =>
  reader.streams.userNonFundingLedgerUpdates({ user }, (event) => {
    if (event.type === 'data') {
      take(event.data.nonFundingLedgerUpdates, event.isSnapshot, ({ delta, hash, time }) =>
        delta.type === 'withdraw' ? hash : `${time} ${hash} ${JSON.stringify(delta)}`,
      );
    }
  }),
);

/** Rows in memory; the tables show no more without asking for a page. */
const ROWS_MAX = 1_000;

type Take<Row> = (
  rows: readonly Row[],
  isSnapshot: boolean,
  idOf: (row: Row) => string | number,
) => void;

/** A list by user: a row that comes again takes the place of the old one, at the top. */
function listOf<Row>(open: (user: string, take: Take<Row>) => { close(): void }) {
  return createLive<string, ListState<Row>>({
    key: (user) => user,
    initial: () => ({ rows: [], isLoaded: false, fresh: [] }),
    open: (user, store: StoreApi<ListState<Row>>) => {
      const stream = open(user, (rows, isSnapshot, idOf) => {
        if (isSnapshot) {
          store.setState({ rows, isLoaded: true, fresh: [] });
          return;
        }
        const ids = new Set(rows.map(idOf));
        const rest = store.getState().rows.filter((row) => !ids.has(idOf(row)));
        store.setState({ rows: [...rows.toReversed(), ...rest].slice(0, ROWS_MAX), fresh: rows });
      });
      return () => stream.close();
    },
  });
}
