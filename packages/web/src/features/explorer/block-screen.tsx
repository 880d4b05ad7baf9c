import type { BlockDetail } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { texts } from 'words:explorer';
import { usePageTitle } from '../../lib/browser.ts';
import { number, wholeDate } from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { Code, BlockLink } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Head } from './head.tsx';
import { Fact, Facts, TxsTable } from './txs-table.tsx';

addWords(texts);

const BRIEFS_MAX = 100;
const EVERY_MS = 2_000;

export function Screen() {
  const t = useWords();
  const { height: text = '' }: { readonly height?: string } = useParams({ strict: false });
  const height = Number(text);
  const isHeight = Number.isSafeInteger(height) && height > 0;
  const title = t('explorer.blockTitle', { height: isHeight ? number(String(height)) : text });
  usePageTitle(title);
  const { data, error } = useQuery({
    queryKey: ['block', height],
    queryFn: ({ signal }) => reader.info.block({ height }, { signal }),
    enabled: isHeight,
    staleTime: Infinity,
  });
  const isMissing = !isHeight || error !== null;
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <Head title={title}>{!isMissing && <Neighbours height={height} />}</Head>
      {isMissing && (
        <EmptyState title={t('explorer.blockMissing')} text={t('explorer.blockMissingText')} />
      )}
      {data !== undefined && !isMissing && <Block block={data} />}
    </div>
  );
}

function Neighbours({ height }: { readonly height: number }) {
  const t = useWords();
  const looks = 'text-13 text-accent hover:underline';
  return (
    <nav aria-label={t('explorer.neighbours')} className="flex gap-3">
      {height > 1 && (
        <Link to={`/explorer/block/${height - 1}`} className={looks}>
          ← {t('explorer.previous')}
        </Link>
      )}
      <Link to={`/explorer/block/${height + 1}`} className={looks}>
        {t('explorer.next')} →
      </Link>
    </nav>
  );
}

function Block({ block }: { readonly block: BlockDetail }) {
  const t = useWords();
  const { blockTime, hash, height, parentHash, stateHash, txs } = block;
  const { data: briefs } = useQuery({
    queryKey: ['txs', height],
    queryFn: ({ signal }) => reader.info.txs({ height, limit: BRIEFS_MAX }, { signal }),
    enabled: txs.length > 0,
    staleTime: Infinity,
    refetchInterval: ({ state }) =>
      state.data?.some(({ entries }) => entries === null) === true ? EVERY_MS : false,
  });
  const listed = useMemo(
    () => (briefs === undefined ? txs : [...briefs, ...txs.slice(briefs.length)]),
    [briefs, txs],
  );
  return (
    <>
      <Facts>
        <Fact label={t('explorer.time')}>{wholeDate(blockTime)}</Fact>
        <Fact label={t('explorer.hash')}>
          <Code>{hash}</Code>
        </Fact>
        <Fact label={t('explorer.parent')}>
          <Code>{parentHash}</Code> {height > 1 && <BlockLink height={height - 1} />}
        </Fact>
        <Fact label={t('explorer.stateHash')}>
          <Code>{stateHash}</Code>
        </Fact>
      </Facts>
      <h2 className="border-y border-line px-4 py-2 text-13 font-medium">
        {t('explorer.txCount', { count: txs.length })}
      </h2>
      <TxsTable
        label={t('explorer.txs')}
        txs={listed}
        isOfOneBlock
        empty={<EmptyState title={t('explorer.quietBlock')} text={t('explorer.quietBlockText')} />}
      />
    </>
  );
}
