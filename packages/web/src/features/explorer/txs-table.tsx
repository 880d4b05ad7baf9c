import type { TxRow } from '@oddlot/sdk';
import { useMemo, type ReactNode } from 'react';
import { clockTime, wholeDate } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Table, type Column } from '../../ui/table.tsx';
import { isNamed } from './explorer-words.ts';
import { AddressLink, BlockLink, TxLink } from './links.tsx';

/** Signed requests that were executed, each in a line. */
export function TxsTable({
  label,
  txs,
  isOfOneBlock = false,
  empty,
}: {
  readonly label: string;
  readonly txs: readonly TxRow[];
  /** They share a block, which needs no column. */
  readonly isOfOneBlock?: boolean;
  readonly empty: ReactNode;
}) {
  const t = useWords();
  const columns = useMemo(
    () => columnsOf(t).filter(({ id }) => !isOfOneBlock || (id !== 'block' && id !== 'time')),
    [t, isOfOneBlock],
  );
  return (
    <Table label={label} columns={columns} rows={txs} rowKey={({ hash }) => hash} empty={empty} />
  );
}

function columnsOf(t: Words): readonly Column<TxRow>[] {
  return [
    {
      id: 'hash',
      header: t('explorer.tx'),
      width: '128px',
      phoneWidth: '104px',
      cell: ({ hash }) => <TxLink hash={hash} />,
    },
    {
      id: 'action',
      header: t('explorer.what'),
      cell: ({ action: { type }, error }) => (
        <span title={error ?? undefined}>
          {actionName(type, t)}
          {error !== null && <span className="text-sell"> · {error}</span>}
        </span>
      ),
    },
    {
      id: 'user',
      header: t('explorer.account'),
      width: '128px',
      phoneWidth: '104px',
      cell: ({ user }) => <AddressLink address={user} />,
    },
    {
      id: 'block',
      header: t('explorer.block'),
      align: 'right',
      width: '96px',
      from: 'tablet',
      cell: ({ block }) => <BlockLink height={block} />,
    },
    {
      id: 'time',
      header: t('explorer.time'),
      align: 'right',
      width: '88px',
      from: 'tablet',
      cell: ({ time }) => (
        <span className="text-muted" title={wholeDate(time)}>
          {clockTime(time)}
        </span>
      ),
    },
  ];
}

/** What an action is called; one that this page does not know keeps its own name. */
export function actionName(type: string, t: Words): string {
  return isNamed(type) ? t(`explorer.action.${type}`) : type;
}
