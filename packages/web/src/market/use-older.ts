import type { HistoryPage } from '@oddlot/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Older } from '../ui/table.tsx';

/** Where a page begins: behind the rows that are there, or where the page before it ended. */
type PageStart = { readonly endTime: number } | { readonly cursor: string };

type Pages<Row> = {
  readonly key: string;
  /** The time of the oldest row that was there when the first page was asked for. */
  readonly endTime: number;
  readonly rows: readonly Row[];
  /** Of the next page; null behind the last row. */
  readonly cursor: string | null | undefined;
  readonly isAsking: boolean;
  readonly hasFailed: boolean;
};

export type OlderOptions<Row> = {
  readonly key: string;
  /** The newest rows, kept up to date by somebody else, newest first. */
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
  const [kept, setPages] = useState<Pages<Row>>();
  const visit = useRef<{ readonly key: string; readonly signal: AbortSignal }>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    visit.current = { key, signal: controller.signal };
    return () => controller.abort();
  }, [key]);
  const oldest = head.at(-1);
  // Once rows have fallen out of the head there is a gap before what was asked for: it is asked for again.
  const isWhole = kept?.key === key && oldest !== undefined && timeOf(oldest) <= kept.endTime;
  const pages = isWhole ? kept : undefined;
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
