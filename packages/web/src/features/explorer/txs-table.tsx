import type { TxRow } from '@oddlot/sdk';
import { useMemo, type ReactNode } from 'react';
import { clockTime, wholeDate } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Table, type Column } from '../../ui/table.tsx';
import { actionName } from './explorer-words.ts';
import { AddressLink, BlockLink, TxLink } from './links.tsx';
import { Said } from './said.tsx';

/** Of a block so many are read whole; of more the rest keep the name of their kind. */
const SAID_MAX = 40;

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
    () =>
      isOfOneBlock
        ? columnsOf(t, new Set(txs.slice(0, SAID_MAX).map(({ hash }) => hash))).filter(
            ({ id }) => id !== 'block' && id !== 'time',
          )
        : columnsOf(t, NONE),
    [t, isOfOneBlock, txs],
  );
  return (
    <Table label={label} columns={columns} rows={txs} rowKey={({ hash }) => hash} empty={empty} />
  );
}

const NONE: ReadonlySet<string> = new Set();

function columnsOf(t: Words, said: ReadonlySet<string>): readonly Column<TxRow>[] {
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
      cell: (tx) => (
        <span title={tx.error ?? undefined}>
          {said.has(tx.hash) ? <Said tx={tx} /> : actionName(tx.action.type, t)}
          {tx.error !== null && <span className="text-warning"> · {tx.error}</span>}
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
