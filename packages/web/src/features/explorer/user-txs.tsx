import { useQuery } from '@tanstack/react-query';
import type { TxBrief } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { useOlder } from '../../market/use-older.ts';
import { reader } from '../../market/venue.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TxsTable } from './txs-table.tsx';

const PAGE_ROWS = 100;
const EVERY_MS = 5_000;
const NONE: readonly TxBrief[] = [];
const hashOf = ({ hash }: TxBrief): string => hash;
const timeOf = ({ time }: TxBrief): number => time;

/** What an account signed, or had signed for it, newest first. */
export function UserTxs({ user }: { readonly user: string }) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: ['txs', user],
    queryFn: ({ signal }) => reader.info.txs({ user, limit: PAGE_ROWS }, { signal }),
    refetchInterval: EVERY_MS,
  });
  const { older, rows } = useOlder<TxBrief>({
    key: user,
    head: data ?? NONE,
    fullAt: PAGE_ROWS,
    timeOf,
    idOf: hashOf,
    ask: (start, options) =>
      reader.info.historyPage({ type: 'txs', user, limit: PAGE_ROWS, ...start }, options),
  });
  return (
    <TxsTable
      label={t('explorer.userTxs')}
      txs={rows}
      isOfOneAccount
      older={older}
      empty={
        data !== undefined && (
          <EmptyState title={t('explorer.noUserTxs')} text={t('explorer.noUserTxsText')} />
        )
      }
    />
  );
}
