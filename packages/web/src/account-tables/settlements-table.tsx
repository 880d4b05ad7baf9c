import type { Fill } from '@oddlot/sdk';
import { useMemo } from 'react';
import { multiply } from '../lib/decimal.ts';
import { cents, number } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { fillId, useFills } from '../market/account-lists.ts';
import { reader } from '../market/venue.ts';
import { Money } from '../ui/figure.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Market, minuteColumn, Nothing, numberColumn, Sided, STACKED_ROW_PX } from './cells.tsx';

/** What shares paid when their markets resolved. The market's page has the receipt. */
export function SettlementsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useFills(user);
  const settled = useMemo(() => rows.filter(isSettlement), [rows]);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('portfolio.tab.settlements')}
      columns={columns}
      rows={settled}
      rowKey={fillId}
      stackedRowHeight={STACKED_ROW_PX}
      older={older}
      empty={<Nothing name="settlements" user={user} isLoaded={isLoaded} />}
    />
  );
}

/** All of them, for a file. */
export async function allSettlements(user: string): Promise<readonly Fill[]> {
  const rows: Fill[] = [];
  for await (const fill of reader.info.allUserFills({ user, accountType: ['outcome'] })) {
    if (isSettlement(fill)) rows.push(fill);
  }
  return rows;
}

function isSettlement({ dir }: Fill): boolean {
  return dir === 'Settlement';
}

function columnsOf(t: Words): readonly Column<Fill>[] {
  return [
    minuteColumn(({ time }) => time, t),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ slug, symbol, title }) => (
        <Market symbol={symbol} slug={slug} title={title} isOutcome />
      ),
    },
    {
      id: 'leg',
      header: t('portfolio.leg'),
      width: '96px',
      phoneWidth: '48px',
      cell: ({ outcome }) => <Sided isBuy={outcome === 'Yes'}>{outcome}</Sided>,
    },
    numberColumn('size', t('portfolio.size'), ({ sz }) => number(sz), {
      from: 'tablet',
      width: '110px',
    }),
    numberColumn('entry', t('portfolio.entry'), ({ entryPrice }) => cents(entryPrice, 3), {
      from: 'tablet',
      width: '110px',
    }),
    numberColumn('paid', t('portfolio.paidEach'), ({ px }) => cents(px, 3), {
      from: 'tablet',
      width: '110px',
    }),
    numberColumn(
      'payout',
      t('portfolio.payout'),
      ({ px, sz }) => <Money value={multiply(px, sz)} />,
      { width: '130px', phoneWidth: '72px' },
    ),
    numberColumn(
      'result',
      t('portfolio.result'),
      ({ closedPnl }) => <Money value={closedPnl} isSigned isColoured />,
      { width: '130px', phoneWidth: '72px' },
    ),
  ];
}
