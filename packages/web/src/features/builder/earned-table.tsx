import type { BuilderEarning } from '@oddlot/sdk';
import { useMemo } from 'react';
import { number } from '../../lib/format.ts';
import { dateTime, wholeDate } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money, Percent } from '../../ui/figure.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { useBuilderRows } from './use-builder-rows.ts';

const idOf = ({ marketType, orderId }: BuilderEarning) => `${marketType} ${orderId}`;

/** Orders that paid this builder, one row each. */
export function EarnedTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useBuilderRows<BuilderEarning>({
    user,
    type: 'builderMeEarned',
    idOf,
  });
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('builder.tabEarned')}
      columns={columns}
      rows={rows}
      rowKey={idOf}
      older={older}
      empty={
        isLoaded && <EmptyState title={t('builder.noEarned')} text={t('builder.noEarnedText')} />
      }
    />
  );
}

function columnsOf(t: Words): readonly Column<BuilderEarning>[] {
  return [
    {
      id: 'time',
      header: t('builder.time'),
      width: '124px',
      phoneWidth: '104px',
      cell: ({ time }) => (
        <span className="text-muted" title={wholeDate(time)}>
          {dateTime(time)}
        </span>
      ),
    },
    {
      id: 'market',
      header: t('builder.market'),
      cell: ({ instrumentName }) => <span title={instrumentName}>{instrumentName}</span>,
    },
    {
      id: 'user',
      header: t('builder.user'),
      width: '140px',
      from: 'tablet',
      cell: ({ user }) => <span className="font-mono text-12">{user}</span>,
    },
    {
      id: 'price',
      header: t('builder.price'),
      align: 'right',
      from: 'desktop',
      cell: ({ price }) => number(price),
    },
    {
      id: 'volume',
      header: t('builder.volume'),
      align: 'right',
      from: 'tablet',
      cell: ({ notional }) => <Money value={notional} />,
    },
    {
      id: 'rate',
      header: t('builder.rate'),
      align: 'right',
      width: '90px',
      from: 'tablet',
      cell: ({ builderFeeRate }) => (
        <Percent value={builderFeeRate} decimals={3} isSigned={false} isColoured={false} />
      ),
    },
    {
      id: 'fee',
      header: t('builder.fee'),
      align: 'right',
      width: '110px',
      phoneWidth: '90px',
      cell: ({ builderFee }) => <Money value={builderFee} isSigned />,
    },
  ];
}
