import { useMemo, type ReactNode } from 'react';
import { clockTime } from '../../lib/time.ts';
import { AddressLink } from '../../ui/address-link.tsx';
import { SimulatedBadge } from '../../ui/simulated-badge.tsx';
import { useWords, type Words } from '../../lib/words.ts';
import { useSettings } from '../../market/queries.ts';
import { timeColumn } from '../../market/time-column.tsx';
import type { Older } from '../../ui/older-rows.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import type { ListedTx } from './brief-words.ts';
import { BlockLink, TxLink } from './links.tsx';
import { Said } from './said.tsx';
import type { NameOf } from './sentence.ts';
import { marketIdsOf } from './tx-words.ts';
import { useNames } from './use-names.ts';

/** Signed requests that were executed, each in a line. */
export function TxsTable({
  label,
  txs,
  isOfOneBlock = false,
  isOfOneAccount = false,
  older,
  empty,
}: {
  readonly label: string;
  readonly txs: readonly ListedTx[];
  /** They share a block, which needs no column. */
  readonly isOfOneBlock?: boolean;
  /** The same of an account. */
  readonly isOfOneAccount?: boolean;
  readonly older?: Older | undefined;
  readonly empty: ReactNode;
}) {
  const t = useWords();
  const nameOf = useNames(useMemo(() => marketIdsOf(txs.map(({ action }) => action)), [txs]));
  const { data: settings } = useSettings();
  const columns = useMemo(() => {
    const all = columnsOf(t, { nameOf, simulated: settings?.simulated_accounts ?? [] });
    const shared = [
      ...(isOfOneBlock ? ['block', 'time'] : []),
      ...(isOfOneAccount ? ['user'] : []),
    ];
    return all.filter(({ id }) => !shared.includes(id));
  }, [t, isOfOneAccount, isOfOneBlock, nameOf, settings]);
  return (
    <Table
      label={label}
      columns={columns}
      rows={txs}
      rowKey={({ hash }) => hash}
      older={older}
      empty={empty}
    />
  );
}

type ColumnNeeds = { readonly nameOf: NameOf; readonly simulated: readonly string[] };

function columnsOf(t: Words, { nameOf, simulated }: ColumnNeeds): readonly Column<ListedTx>[] {
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
          <Said tx={tx} nameOf={nameOf} />
          {tx.error !== null && (
            <span className="text-warning"> · {t(refusedWord(tx), { why: tx.error })}</span>
          )}
        </span>
      ),
    },
    {
      id: 'user',
      header: t('explorer.account'),
      width: '148px',
      from: 'tablet',
      cell: ({ user }) => (
        <span className="flex items-center gap-2">
          <AddressLink address={user} />
          {simulated.includes(user) && <SimulatedBadge />}
        </span>
      ),
    },
    {
      id: 'block',
      header: t('explorer.block'),
      align: 'right',
      width: '96px',
      from: 'tablet',
      cell: ({ block }) => <BlockLink height={block} />,
    },
    timeColumn(t('explorer.time'), ({ time }) => time, {
      align: 'right',
      width: '88px',
      from: 'tablet',
      short: 'never',
      write: clockTime,
      isSortable: false,
    }),
  ];
}

/** The venue names the first thing that failed, which of many entries need not be all. */
function refusedWord({ entries }: ListedTx): 'explorer.refused' | 'explorer.refusedPart' {
  return (entries ?? 1) > 1 ? 'explorer.refusedPart' : 'explorer.refused';
}
