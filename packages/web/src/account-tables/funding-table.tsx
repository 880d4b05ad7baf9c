import type { FundingRow } from '@oddlot/sdk';
import { useMemo } from 'react';
import { useWords, type Words } from '../lib/words.ts';
import { fundingId, useFundings } from '../market/account-lists.ts';
import { SizeOnGrid } from '../market/on-grid.tsx';
import { Money, Percent } from '../ui/figure.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Market, minuteColumn, Nothing, numberColumn } from './cells.tsx';

/** What each hour paid or collected. */
export function FundingTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useFundings(user);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('portfolio.tab.funding')}
      columns={columns}
      rows={rows}
      rowKey={fundingId}
      older={older}
      empty={<Nothing name="funding" user={user} isLoaded={isLoaded} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<FundingRow>[] {
  return [
    minuteColumn(({ time }) => time, t),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ coin }) => <Market symbol={coin} isOutcome={false} />,
    },
    numberColumn(
      'size',
      t('portfolio.size'),
      ({ coin, szi }) => <SizeOnGrid coin={coin} value={szi} />,
      { width: '160px', phoneWidth: '106px' },
    ),
    numberColumn(
      'rate',
      t('portfolio.rate'),
      ({ fundingRate }) => <Percent value={fundingRate} decimals={5} isColoured={false} />,
      { width: '140px', from: 'tablet' },
    ),
    numberColumn(
      'payment',
      t('portfolio.payment'),
      ({ usdc }) => <Money value={usdc} isSigned isColoured />,
      { width: '160px', phoneWidth: '92px' },
    ),
  ];
}
