import type { BuilderClaim } from '@oddlot/sdk';
import { useMemo } from 'react';
import { short } from '../../lib/format.ts';
import { dateTime, wholeDate } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/figure.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { useBuilderRows } from './use-builder-rows.ts';

const idOf = ({ txHash }: BuilderClaim) => txHash;

/** What was claimed, and when. */
export function ClaimsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useBuilderRows<BuilderClaim>({
    user,
    type: 'builderMeClaimed',
    idOf,
  });
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('builder.tabClaimed')}
      columns={columns}
      rows={rows}
      rowKey={idOf}
      older={older}
      empty={
        isLoaded && <EmptyState title={t('builder.noClaims')} text={t('builder.noClaimsText')} />
      }
    />
  );
}

function columnsOf(t: Words): readonly Column<BuilderClaim>[] {
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
      id: 'hash',
      header: t('builder.hash'),
      cell: ({ txHash }) => (
        <span className="font-mono text-12" title={txHash}>
          {short(txHash)}
        </span>
      ),
    },
    {
      id: 'amount',
      header: t('builder.amount'),
      align: 'right',
      cell: ({ amount }) => <Money value={amount} isSigned />,
    },
  ];
}
