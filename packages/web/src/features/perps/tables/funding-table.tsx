import { useMemo } from 'react';
import type { FundingRow } from '@oddlot/sdk';
import { number, percent } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { fundingId, useFundings } from '../../../market/account-lists.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Money } from '../../../ui/figure.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { MarketLink } from './market-link.tsx';

export function FundingTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { older, rows } = useFundings(user);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('perps.tables.funding')}
      columns={columns}
      rows={rows}
      rowKey={fundingId}
      older={older}
      empty={<EmptyState title={t('perps.empty.funding')} text={t('perps.empty.fundingText')} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<FundingRow>[] {
  return [
    {
      id: 'time',
      header: t('perps.column.time'),
      cell: ({ time }) => dateTime(time),
    },
    {
      id: 'market',
      header: t('perps.column.market'),
      cell: ({ coin }) => <MarketLink name={coin} />,
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      align: 'right',
      from: 'tablet',
      cell: ({ szi }) => number(szi),
    },
    {
      id: 'rate',
      header: t('perps.column.rate'),
      align: 'right',
      cell: ({ fundingRate }) => percent(fundingRate, { decimals: 4, isSigned: true }),
    },
    {
      id: 'amount',
      header: t('perps.column.amount'),
      align: 'right',
      cell: ({ usdc }) => <Money value={usdc} isSigned isColoured />,
    },
  ];
}
