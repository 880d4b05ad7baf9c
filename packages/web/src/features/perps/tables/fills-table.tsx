import { useMemo } from 'react';
import type { Fill } from '@oddlot/sdk';
import { multiply } from '../../../lib/decimal.ts';
import { money } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { fillId, useFills } from '../../../market/account-lists.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Money } from '../../../ui/figure.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { MarketLink } from './market-link.tsx';
import { Moment } from './moment.tsx';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { SideWord } from './side-word.tsx';

export function FillsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { older, rows: all } = useFills(user);
  const rows = useMemo(() => all.filter(({ marketType }) => marketType === 'perps'), [all]);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('perps.tables.fills')}
      columns={columns}
      rows={rows}
      rowKey={fillId}
      older={older}
      empty={<EmptyState title={t('perps.empty.fills')} text={t('perps.empty.fillsText')} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<Fill>[] {
  return [
    {
      id: 'time',
      header: t('perps.column.time'),
      width: '136px',
      cell: ({ time }) => <Moment ms={time} />,
    },
    {
      id: 'market',
      header: t('perps.column.market'),
      cell: ({ symbol }) => <MarketLink name={symbol} />,
    },
    {
      id: 'side',
      header: t('perps.column.side'),
      from: 'tablet',
      cell: ({ dir, side }) => <SideWord side={side} text={dir} />,
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      align: 'right',
      cell: ({ instrumentId, px }) => <OnGrid coin={String(instrumentId)} value={px} />,
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      align: 'right',
      cell: ({ instrumentId, side, sz }) => (
        <SideWord
          side={side}
          text={
            <SizeOnGrid coin={String(instrumentId)} value={side === 'B' ? sz : `-${sz}`} isSigned />
          }
        />
      ),
    },
    {
      id: 'value',
      header: t('perps.column.value'),
      align: 'right',
      from: 'tablet',
      cell: ({ px, sz }) => money(multiply(px, sz)),
    },
    {
      id: 'fee',
      header: t('perps.column.fee'),
      align: 'right',
      from: 'tablet',
      cell: ({ fee, tradeSide }) => (
        <span title={tradeSide === null ? undefined : t(`perps.${tradeSide}`)}>{money(fee)}</span>
      ),
    },
    {
      id: 'closed',
      header: t('perps.column.closedPnl'),
      align: 'right',
      cell: ({ closedPnl }) => <Money value={closedPnl} isSigned isColoured />,
    },
  ];
}
