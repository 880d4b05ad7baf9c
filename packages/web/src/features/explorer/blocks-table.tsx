import type { ExplorerBlock } from '@oddlot/sdk';
import { useMemo } from 'react';
import { clockTime } from '../../lib/time.ts';
import { short } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { timeColumn } from '../../market/time-column.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { BlockLink } from './links.tsx';

/** Blocks, newest first. */
export function BlocksTable({
  blocks,
  isLoaded,
}: {
  readonly blocks: readonly ExplorerBlock[];
  readonly isLoaded: boolean;
}) {
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
      phoneWidth: '76px',
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
