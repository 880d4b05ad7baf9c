import type { ApprovedBuilder, Client } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { texts } from 'words:builder';
import { dateTime, number, short } from '../lib/format.ts';
import { addWords, useWords, type Words } from '../lib/words.ts';
import { queryClient } from '../market/queries.ts';
import { reader } from '../market/venue.ts';
import { Button, ConfirmButton, emptied, TextField } from '../ui/controls.tsx';
import { EmptyState, ErrorSentence, useDoing } from '../ui/states.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { doneOnce } from './sent-once.ts';

addWords(texts);

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NONE: readonly ApprovedBuilder[] = [];
const key = (user: string) => ['approvedBuilders', user];

type ApprovedBuildersProps = { readonly user: string; readonly owner: Client | undefined };

export function ApprovedBuilders({ user, owner }: ApprovedBuildersProps) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: key(user),
    queryFn: ({ signal }) => reader.info.approvedBuilders({ user }, { signal }),
    staleTime: 0,
  });
  const { error, isBusy, run } = useDoing();
  const columns = useMemo(() => {
    const revoke = (builder: string): Promise<boolean> =>
      run(async () => {
        await doneOnce(owner!, ({ exchange }) =>
          exchange.revokeBuilderFee({ builder }, { confirm: 'executed' }),
        );
        await queryClient.invalidateQueries({ queryKey: key(user) });
      });
    return columnsOf(t, owner === undefined ? undefined : { isBusy, revoke });
  }, [owner, user, isBusy, run, t]);
  return (
    <>
      <Table
        label={t('builder.approved')}
        columns={columns}
        rows={data ?? NONE}
        rowKey={({ builder }) => builder}
        rowHeight={36}
        empty={
          data !== undefined && (
            <EmptyState title={t('builder.noApproved')} text={t('builder.noApprovedText')} />
          )
        }
      />
      {error !== undefined && (
        <div className="px-4 py-2">
          <ErrorSentence error={error} />
        </div>
      )}
      {owner !== undefined && <Approve user={user} owner={owner} />}
    </>
  );
}

type Revoking = Readonly<{ isBusy: boolean; revoke: (builder: string) => Promise<boolean> }>;

function columnsOf(t: Words, revoking: Revoking | undefined): readonly Column<ApprovedBuilder>[] {
  return [
    {
      id: 'builder',
      header: t('builder.builder'),
      cell: ({ builder }) => (
        <span className="font-mono text-12" title={builder}>
          {short(builder)}
        </span>
      ),
    },
    {
      id: 'rate',
      header: t('builder.maxRate'),
      align: 'right',
      width: '110px',
      phoneWidth: '90px',
      cell: ({ maxFeeRate }) => maxFeeRate,
    },
    {
      id: 'since',
      header: t('builder.since'),
      align: 'right',
      width: '130px',
      from: 'tablet',
      cell: ({ updateTime }) => <span className="text-muted">{dateTime(updateTime)}</span>,
    },
    {
      id: 'revoke',
      header: <span className="visually-hidden">{t('ui.revoke')}</span>,
      align: 'right',
      width: '140px',
      phoneWidth: '120px',
      cell: ({ builder }) =>
        revoking !== undefined && (
          <ConfirmButton
            size="small"
            label={t('ui.revoke')}
            sure={t('ui.revokeSure')}
            isBusy={revoking.isBusy}
            onConfirm={() => void revoking.revoke(builder)}
          />
        ),
    },
  ];
}

function Approve({ user, owner }: { readonly user: string; readonly owner: Client }) {
  const t = useWords();
  const [builder, setBuilder] = useState('');
  const [rate, setRate] = useState('');
  const { error, isBusy, run } = useDoing();
  const isReady = ADDRESS.test(builder.trim()) && rate !== '';
  const approve = async (): Promise<void> => {
    if (!isReady || isBusy) return;
    const isDone = await run(() =>
      doneOnce(owner, ({ exchange }) =>
        exchange.approveBuilderFee(
          { builder: builder.trim(), maxFeeRate: `${rate}%` },
          { confirm: 'executed' },
        ),
      ),
    );
    if (!isDone) return;
    setBuilder(emptied(builder));
    setRate(emptied(rate));
    await queryClient.invalidateQueries({ queryKey: key(user) });
  };
  return (
    <form
      className="flex flex-col gap-2 border-t border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void approve();
      }}
    >
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-56 flex-1">
          <TextField
            label={t('builder.builder')}
            value={builder}
            placeholder="0x…"
            onChange={setBuilder}
            fault={
              builder === '' || ADDRESS.test(builder.trim()) ? undefined : t('wallet.watchFault')
            }
          />
        </div>
        <div className="w-36">
          <TextField
            label={t('builder.atMost')}
            inputMode="decimal"
            value={rate}
            placeholder={number('0.05')}
            onChange={(typed) => setRate(typed.trim().replace(',', '.'))}
          />
        </div>
        <Button type="submit" isBusy={isBusy} disabled={!isReady}>
          {t('builder.approve')}
        </Button>
      </div>
      {error !== undefined && <ErrorSentence error={error} />}
    </form>
  );
}
