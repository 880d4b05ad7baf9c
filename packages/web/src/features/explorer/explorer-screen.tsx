import { BlockLink } from '../../ui/figures.tsx';
import type { ExplorerBlock, TxBrief } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { texts } from 'words:explorer';
import { usePageTitle } from '../../lib/browser.ts';
import { clockTime, number, short } from '../../lib/format.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { timeColumn } from '../../market/cells.tsx';
import { askAfterChanges, createLive } from '../../market/live.ts';
import { reader } from '../../market/venue.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { classes } from '../../ui/styles.ts';
import { Table, type Column } from '../../ui/table.tsx';
import { Head } from './head.tsx';
import { TxsTable } from './txs-table.tsx';

addWords(texts);

export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.explorer'));
  const search: { readonly before?: unknown } = useSearch({ strict: false });
  const before = Number(search.before ?? Number.NaN);
  const isPast = Number.isSafeInteger(before) && before > 0;
  const { holders, isHeld, value } = useHeld(latestTxs.use('latest', (state) => state));
  const { isLoaded, txs } = value;
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <Head title={t('nav.explorer')} isFirst />
      <div className="grid flex-1 content-start desktop:grid-cols-[minmax(0,4fr)_minmax(0,8fr)]">
        {isPast ? <PastBlocks before={before} /> : <LatestBlocks />}
        <Panel
          title={t('explorer.latestTxs')}
          holders={holders}
          aside={isHeld && <Paused />}
          isFirstBelow
        >
          <TxsTable
            label={t('explorer.latestTxs')}
            txs={txs}
            empty={
              isLoaded ? (
                <EmptyState title={t('explorer.noTxs')} text={t('explorer.noTxsText')} />
              ) : (
                <Loading />
              )
            }
          />
        </Panel>
      </div>
    </div>
  );
}

function Loading() {
  return (
    <div aria-hidden="true" className="flex flex-col gap-5 px-2 py-2.5">
      {['60%', '75%', '50%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}

function LatestBlocks() {
  const t = useWords();
  const { holders, isHeld, value } = useHeld(latestBlocks.use('latest', (state) => state));
  const { blocks, isLoaded } = value;
  return (
    <Panel
      title={t('explorer.latestBlocks')}
      holders={holders}
      aside={
        <>
          {isHeld && <Paused />}
          <Older before={blocks.at(-1)?.height} />
        </>
      }
    >
      <BlocksTable blocks={blocks} isLoaded={isLoaded} />
    </Panel>
  );
}

function PastBlocks({ before }: { readonly before: number }) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: ['blocks', before],
    queryFn: ({ signal }) => reader.info.blocks({ before, limit: LATEST_MAX }, { signal }),
    staleTime: Infinity,
  });
  return (
    <Panel
      title={t('explorer.blocksBefore', { height: number(String(before)) })}
      aside={
        <>
          <Link to="/explorer" search={{}} className="text-12 text-accent hover:underline">
            {t('explorer.newest')}
          </Link>
          <Older before={data?.at(-1)?.height} />
        </>
      }
    >
      <BlocksTable blocks={data ?? []} isLoaded={data !== undefined} />
    </Panel>
  );
}

function Paused() {
  const t = useWords();
  return <span className="text-12 text-muted">{t('explorer.paused')}</span>;
}

function Older({ before }: { readonly before: number | undefined }) {
  const t = useWords();
  if (before === undefined || before <= 1) return null;
  return (
    <Link to="/explorer" search={{ before }} className="text-12 text-accent hover:underline">
      {t('explorer.older')}
    </Link>
  );
}

type PanelProps = {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly holders?: Held<unknown>['holders'];
  readonly isFirstBelow?: boolean;
  readonly children: ReactNode;
};

function Panel({ title, aside, holders, isFirstBelow = false, children }: PanelProps) {
  return (
    <section
      aria-label={title}
      className={classes(
        'min-w-0 border-line max-desktop:border-b desktop:not-last:border-e',
        isFirstBelow && 'max-desktop:order-first',
      )}
    >
      <div className="flex h-9 items-center justify-between gap-4 border-b border-line px-4">
        <h2 className="text-13 font-medium">{title}</h2>
        {aside !== undefined && <span className="flex gap-4">{aside}</span>}
      </div>
      <div {...holders}>{children}</div>
    </section>
  );
}

type BlocksTableProps = { readonly blocks: readonly ExplorerBlock[]; readonly isLoaded: boolean };

export function BlocksTable({ blocks, isLoaded }: BlocksTableProps) {
  const t = useWords();
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('explorer.blocks')}
      columns={columns}
      rows={blocks}
      rowKey={({ height }) => height}
      empty={isLoaded ? <EmptyState title={t('explorer.noBlocks')} /> : null}
    />
  );
}

function columnsOf(t: Words): readonly Column<ExplorerBlock>[] {
  return [
    {
      id: 'height',
      header: t('explorer.height'),
      width: '104px',
      phoneWidth: '84px',
      cell: ({ height }) => <BlockLink height={height} />,
    },
    timeColumn(t('explorer.time'), ({ blockTime }) => blockTime, {
      width: '96px',
      phoneWidth: '68px',
      short: 'never',
      write: clockTime,
      isSortable: false,
    }),
    {
      id: 'hash',
      header: t('explorer.hash'),
      cell: ({ hash }) => (
        <span className="font-mono text-12 text-muted" title={hash}>
          {short(hash)}
        </span>
      ),
    },
    {
      id: 'txs',
      header: t('explorer.txs'),
      align: 'right',
      width: '104px',
      phoneWidth: '96px',
      cell: ({ numTxs }) => <span className={numTxs === 0 ? 'text-faint' : ''}>{numTxs}</span>,
    },
  ];
}

export type Held<Value> = {
  readonly value: Value;
  readonly isHeld: boolean;
  readonly holders: { readonly onPointerEnter: () => void; readonly onPointerLeave: () => void };
};

export function useHeld<Value>(live: Value): Held<Value> {
  const [held, setHeld] = useState<{ readonly value: Value }>();
  return {
    value: held === undefined ? live : held.value,
    isHeld: held !== undefined,
    holders: {
      onPointerEnter: () => setHeld({ value: live }),
      onPointerLeave: () => setHeld(undefined),
    },
  };
}

const LATEST_MAX = 40;

type BlocksState = { readonly blocks: readonly ExplorerBlock[]; readonly isLoaded: boolean };
type TxsState = { readonly txs: readonly TxBrief[]; readonly isLoaded: boolean };

const FILL_EVERY_MS = 1_000;

function hasGap(blocks: readonly ExplorerBlock[]): boolean {
  const [newest, oldest] = [blocks[0]?.height ?? 0, blocks.at(-1)?.height ?? 0];
  return blocks.length > 0 && newest - oldest + 1 !== blocks.length;
}

const latestBlocks = createLive<'latest', BlocksState>({
  key: (name) => name,
  initial: () => ({ blocks: [], isLoaded: false }),
  open: (_, store) => {
    const take = (blocks: readonly ExplorerBlock[]): void => {
      const byHeight = new Map(
        [...store.getState().blocks, ...blocks].map((block) => [block.height, block]),
      );
      const sorted = [...byHeight.values()].sort((left, right) => right.height - left.height);
      store.setState({ blocks: sorted.slice(0, LATEST_MAX), isLoaded: true });
    };
    let isAsking = false;
    // Earlier and missing blocks are requested, several times if the history lags behind the
    // stream.
    const fill = async (): Promise<void> => {
      if (isAsking) return;
      isAsking = true;
      take(await reader.info.blocks({ limit: LATEST_MAX }).catch(() => []));
      timer = setTimeout(() => {
        isAsking = false;
        if (hasGap(store.getState().blocks)) void fill();
      }, FILL_EVERY_MS);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    void fill();
    const stream = reader.streams.explorerBlock({}, (event) => {
      if (event.type === 'data') take(event.data);
      if (hasGap(store.getState().blocks)) void fill();
    });
    return () => {
      clearTimeout(timer);
      stream.close();
    };
  },
});

const latestTxs = createLive<'latest', TxsState>({
  key: (name) => name,
  initial: () => ({ txs: [], isLoaded: false }),
  open: (_, store) => {
    let streamHeight = 0;
    const asking = askAfterChanges(
      async (signal) => {
        const txs = await reader.info.txs({ limit: LATEST_MAX }, { signal });
        store.setState({ txs, isLoaded: true });
        // The history may lag behind the stream, and queued orders appear only after their release.
        const isBehind = (txs[0]?.block ?? 0) < streamHeight;
        return isBehind || txs.some(({ entries }) => entries === null) ? 'partial' : 'whole';
      },
      { everyMs: FILL_EVERY_MS },
    );
    const stream = reader.streams.explorerTxs({}, (event) => {
      if (event.type === 'reset') streamHeight = 0;
      else for (const { block } of event.data) streamHeight = Math.max(streamHeight, block);
      asking.again();
    });
    asking.onceReady(stream);
    return () => {
      asking.stop();
      stream.close();
    };
  },
});
