import { texts } from 'words:explorer';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { number } from '../../lib/format.ts';
import { usePageTitle } from '../../lib/use-page-title.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { LATEST_MAX, latestBlocks, latestTxs } from '../../market/explorer.ts';
import { reader } from '../../market/venue.ts';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/spinner.tsx';
import { BlocksTable } from './blocks-table.tsx';
import { Head } from './head.tsx';
import { TxsTable } from './txs-table.tsx';
import { useHeld, type Held } from './use-held.ts';

addWords(texts);

/** What the venue does, block by block. */
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

/** The place of the first rows. */
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

function Panel({
  title,
  aside,
  holders,
  isFirstBelow = false,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly holders?: Held<unknown>['holders'];
  /** Where panels stand below each other it is the upper one. */
  readonly isFirstBelow?: boolean;
  readonly children: ReactNode;
}) {
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
