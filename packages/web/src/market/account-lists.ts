import type {
  Fill,
  FundingRow,
  HistOrderRow,
  HistoryPage,
  LedgerUpdate,
  UserFundings,
} from '@oddlot/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import type { Older } from '../ui/table.tsx';
import { createLive, type Live } from './live.ts';
import { reader } from './venue.ts';

type ListState<Row> = {
  readonly rows: readonly Row[];
  readonly isLoaded: boolean;
  /** New rows, oldest first, excluding those of the initial load. */
  readonly arrivals: readonly Arrival<Row>[];
};

type WholeList<Row> = Readonly<{ rows: readonly Row[]; isLoaded: boolean; older: Older }>;

type IdOf<Row> = (row: Row) => string | number;

const BOTH = ['perp', 'outcome'] as const;
const accountType = [...BOTH];
const FIRST_ROWS = 200;
const PAGE_ROWS = 200;
const ROWS_MAX = 1_000;

export const fillId: IdOf<Fill> = ({ coin, hash, oid, outcome, side, tid, time }) =>
  `${time} ${tid} ${oid} ${side} ${coin} ${outcome ?? ''} ${hash}`;
export const orderId: IdOf<HistOrderRow> = ({ order }) => `${order.marketType} ${order.oid}`;
export const fundingId: IdOf<FundingRow> = ({ coin, szi, time }) => `${time} ${coin} ${szi}`;
export const ledgerId: IdOf<LedgerUpdate> = ({ delta, hash, time }) =>
  delta.type === 'withdraw' ? hash : `${time} ${hash} ${JSON.stringify(delta)}`;
const timeOfRow = ({ time }: { readonly time: number }): number => time;

export const fillLists = listOf(fillId, (user, take) =>
  reader.streams.userFills({ user, accountType }, (event) => {
    if (event.type === 'data') take(event.data.fills, event.isSnapshot);
  }),
);

const orderLists = listOf(orderId, (user, take) =>
  reader.streams.userHistoricalOrders({ user, accountType }, (event) => {
    if (event.type === 'data') take(event.data.orderHistory, event.isSnapshot);
  }),
);

export const fundingLists = listOf(fundingId, (user, take) =>
  reader.streams.userFundings({ user }, (event) => {
    if (event.type === 'data') take(event.data.fundings, event.isSnapshot);
  }),
);

export const ledgerLists = listOf(ledgerId, (user, take) =>
  reader.streams.userNonFundingLedgerUpdates({ user }, (event) => {
    if (event.type === 'data') take(event.data.nonFundingLedgerUpdates, event.isSnapshot);
  }),
);

export function useFills(user: string | undefined): WholeList<Fill> {
  return useWhole(fillLists, user, {
    timeOf: timeOfRow,
    idOf: fillId,
    ask: (start, options) =>
      reader.info.historyPage(
        { type: 'userFills', user: user!, accountType, limit: PAGE_ROWS, ...start },
        options,
      ),
  });
}

export function useOrderHistory(user: string | undefined): WholeList<HistOrderRow> {
  return useWhole(orderLists, user, {
    timeOf: changedAt,
    idOf: orderId,
    ask: (start, options) =>
      reader.info.historyPage(
        { type: 'historicalOrders', user: user!, accountType, limit: PAGE_ROWS, ...start },
        options,
      ),
  });
}

const changedAt = ({ statusTimestamp }: HistOrderRow): number => statusTimestamp;

export function useFundings(user: string | undefined): WholeList<FundingRow> {
  return useWhole(fundingLists, user, {
    timeOf: timeOfRow,
    idOf: fundingId,
    ask: async (start, options) => {
      const page = await reader.info.historyPage<'userFundings', UserFundings>(
        { type: 'userFundings', user: user!, limit: PAGE_ROWS, ...start },
        options,
      );
      return { ...page, data: page.data.data };
    },
  });
}

export function useLedger(user: string | undefined): WholeList<LedgerUpdate> {
  return useWhole(ledgerLists, user, {
    timeOf: timeOfRow,
    idOf: ledgerId,
    ask: (start, options) =>
      reader.info.historyPage(
        { type: 'userNonFundingLedgerUpdates', user: user!, limit: PAGE_ROWS, ...start },
        options,
      ),
  });
}

function useWhole<Row>(
  lists: Live<string, ListState<Row>>,
  user: string | undefined,
  rest: Pick<OlderOptions<Row>, 'timeOf' | 'idOf' | 'ask'>,
): WholeList<Row> {
  const isLoaded = lists.use(user, (list) => list.isLoaded);
  const head = lists.use(user, (list) => list.rows);
  const whole = useOlder({ key: user ?? '', head, fullAt: FIRST_ROWS, ...rest });
  return { ...whole, isLoaded };
}

type Take<Row> = (rows: readonly Row[], isSnapshot: boolean) => void;

function listOf<Row>(
  idOf: IdOf<Row>,
  open: (user: string, take: Take<Row>) => { close(): void },
): Live<string, ListState<Row>> {
  return createLive<string, ListState<Row>>({
    key: (user) => user,
    initial: () => ({ rows: [], isLoaded: false, arrivals: [] }),
    open: (user, store: StoreApi<ListState<Row>>) => {
      const stream = open(user, (rows, isSnapshot) => {
        if (isSnapshot) {
          store.setState({ rows, isLoaded: true });
          return;
        }
        const ids = new Set(rows.map(idOf));
        const before = store.getState();
        const rest = before.rows.filter((row) => !ids.has(idOf(row)));
        store.setState({
          rows: [...rows.toReversed(), ...rest].slice(0, ROWS_MAX),
          arrivals: withArrival(before.arrivals, rows),
        });
      });
      return () => stream.close();
    },
  });
}

export type Arrival<Row> = { readonly rows: readonly Row[]; readonly atMs: number };

/**
 * The code for notices is loaded after the screen. Rows that arrived at most this many milliseconds
 * earlier still count as new.
 */
const NEWS_MS = 10_000;

export function withArrival<Row>(
  arrivals: readonly Arrival<Row>[],
  rows: readonly Row[],
  nowMs = Date.now(),
): readonly Arrival<Row>[] {
  return [...arrivals.filter(({ atMs }) => nowMs - atMs < NEWS_MS), { rows, atMs: nowMs }];
}

/** Reports each arrival once, even if the component mounts again. */
export function createReporter<Row>(
  lists: Live<string, { readonly arrivals: readonly Arrival<Row>[] }>,
): (user: string, report: (rows: readonly Row[]) => void) => () => void {
  const reported = new WeakSet<Arrival<Row>>();
  return (user, report) => {
    const { release, store } = lists.acquire(user);
    const look = (): void => {
      const nowMs = Date.now();
      for (const arrival of store.getState().arrivals) {
        if (reported.has(arrival)) continue;
        reported.add(arrival);
        if (nowMs - arrival.atMs < NEWS_MS) report(arrival.rows);
      }
    };
    const leave = store.subscribe(look);
    look();
    return () => {
      leave();
      release();
    };
  };
}

type PageStart = { readonly endTime: number } | { readonly cursor: string };

type Pages<Row> = {
  readonly key: string;
  readonly endTime: number;
  readonly rows: readonly Row[];
  readonly cursor: string | null | undefined;
  readonly isAsking: boolean;
  readonly hasFailed: boolean;
};

type OlderOptions<Row> = {
  readonly key: string;
  readonly head: readonly Row[];
  readonly fullAt: number;
  readonly timeOf: (row: Row) => number;
  readonly idOf: (row: Row) => string | number;
  readonly ask: (
    start: PageStart,
    options: { signal: AbortSignal },
  ) => Promise<HistoryPage<readonly Row[]>>;
};

export function useOlder<Row>({ key, head, fullAt, timeOf, idOf, ask }: OlderOptions<Row>): {
  readonly rows: readonly Row[];
  readonly older: Older;
} {
  const [loaded, setPages] = useState<Pages<Row>>();
  const visit = useRef<{ readonly key: string; readonly signal: AbortSignal }>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    visit.current = { key, signal: controller.signal };
    return () => controller.abort();
  }, [key]);
  const oldest = head.at(-1);
  // If rows have dropped out of the head of the list, they are requested.
  const isWhole = loaded?.key === key && oldest !== undefined && timeOf(oldest) <= loaded.endTime;
  const pages = isWhole ? loaded : undefined;
  const rows = useMemo(() => joined(head, pages?.rows ?? [], idOf), [head, pages?.rows, idOf]);
  const more = (): void => {
    const { current } = visit;
    if (oldest === undefined || current?.key !== key || pages?.isAsking === true) return;
    const { signal } = current;
    const begun: Pages<Row> = pages ?? {
      key,
      endTime: timeOf(oldest),
      rows: [],
      cursor: undefined,
      isAsking: true,
      hasFailed: false,
    };
    setPages({ ...begun, isAsking: true, hasFailed: false });
    const { cursor, endTime } = begun;
    const start = typeof cursor === 'string' ? { cursor } : { endTime };
    const settle = (change: Partial<Pages<Row>>): void => {
      if (!signal.aborted) setPages({ ...begun, isAsking: false, ...change });
    };
    ask(start, { signal }).then(
      ({ data, nextCursor }) =>
        settle({ rows: [...begun.rows, ...data], cursor: nextCursor ?? null, hasFailed: false }),
      () => settle({ hasFailed: true }),
    );
  };
  const status =
    pages === undefined
      ? head.length >= fullAt
        ? 'some'
        : 'whole'
      : pages.isAsking
        ? 'asking'
        : pages.hasFailed
          ? 'failed'
          : pages.cursor === null
            ? 'end'
            : 'some';
  return { rows, older: { status, more } };
}

function joined<Row>(
  head: readonly Row[],
  tail: readonly Row[],
  idOf: (row: Row) => string | number,
): readonly Row[] {
  if (tail.length === 0) return head;
  const known = new Set(head.map(idOf));
  return [
    ...head,
    ...tail.filter((row) => {
      const id = idOf(row);
      if (known.has(id)) return false;
      known.add(id);
      return true;
    }),
  ];
}
