import type { Fill } from '@oddlot/sdk';
import { useMemo } from 'react';
import { multiply } from '../lib/decimal.ts';
import { number } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { fillId, useFills } from '../market/account-lists.ts';
import { Money } from '../ui/figure.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Market, Nothing, numberColumn, Sided, timeColumn } from './cells.tsx';

/** Each trade, newest first. */
export function FillsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useFills(user);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('portfolio.tab.fills')}
      columns={columns}
      rows={rows}
      rowKey={fillId}
      older={older}
      empty={<Nothing name="fills" user={user} isLoaded={isLoaded} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<Fill>[] {
  return [
    timeColumn(({ time }) => time, t),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ marketType, slug, symbol, title }) => (
        <Market symbol={symbol} slug={slug} title={title} isOutcome={marketType === 'outcome'} />
      ),
    },
    {
      id: 'side',
      header: t('portfolio.side'),
      width: '130px',
      from: 'tablet',
      cell: ({ dir, side }) => <Sided isBuy={side === 'B'}>{dir}</Sided>,
    },
    numberColumn(
      'price',
      t('portfolio.price'),
      ({ px, side }) => <Sided isBuy={side === 'B'}>{number(px)}</Sided>,
      {
        width: '110px',
        phoneWidth: '80px',
      },
    ),
    numberColumn('size', t('portfolio.size'), ({ sz }) => number(sz), {
      width: '100px',
      phoneWidth: '68px',
    }),
    numberColumn(
      'worth',
      t('portfolio.worth'),
      ({ px, sz }) => <Money value={multiply(px, sz)} />,
      {
        from: 'tablet',
      },
    ),
    numberColumn('fee', t('portfolio.fee'), ({ fee }) => <Money value={fee} />, { from: 'tablet' }),
    numberColumn(
      'closedPnl',
      t('portfolio.closedPnl'),
      ({ closedPnl }) => <Money value={closedPnl} isSigned isColoured />,
      { from: 'tablet' },
    ),
  ];
}
