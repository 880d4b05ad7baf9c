import { useMemo, useState } from 'react';
import type { LedgerDelta, LedgerUpdate } from '@oddlot/sdk';
import { negate } from '../../../lib/decimal.ts';
import { money, number, short } from '../../../lib/format.ts';
import { dateTime, wholeDate } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { ledgerLists } from '../../../market/account-lists.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Money } from '../../../ui/figure.tsx';
import { Table, type Column } from '../../../ui/table.tsx';

/** Money that moved other than by trades and funding; a liquidation opens its why. */
export function LedgerTable({ user }: { readonly user: string }) {
  const t = useWords();
  const rows = ledgerLists.use(user, (state) => state.rows);
  const [asked, setAsked] = useState<LedgerUpdate>();
  const columns = useMemo(() => columnsOf(t, setAsked), [t]);
  return (
    <>
      <Table
        label={t('perps.tables.ledger')}
        columns={columns}
        rows={rows}
        rowKey={({ delta, hash, time }) => `${time} ${hash} ${JSON.stringify(delta)}`}
        empty={<EmptyState title={t('perps.empty.ledger')} text={t('perps.empty.ledgerText')} />}
      />
      {asked !== undefined && <Why update={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function columnsOf(t: Words, ask: (row: LedgerUpdate) => void): readonly Column<LedgerUpdate>[] {
  return [
    {
      id: 'time',
      header: t('perps.column.time'),
      width: '140px',
      cell: ({ time }) => dateTime(time),
    },
    {
      id: 'what',
      header: t('perps.column.what'),
      cell: ({ delta }) => t(`perps.ledger.${delta.type}`),
    },
    {
      id: 'amount',
      header: t('perps.column.amount'),
      align: 'right',
      cell: ({ delta }) => <Money value={amountOf(delta)} isSigned isColoured />,
    },
    {
      id: 'transaction',
      header: t('perps.column.transaction'),
      align: 'right',
      from: 'tablet',
      cell: ({ hash }) => <span className="font-mono text-12 text-muted">{short(hash)}</span>,
    },
    {
      id: 'why',
      header: <span className="heard">{t('perps.column.actions')}</span>,
      align: 'right',
      width: '80px',
      cell: (row) =>
        (row.delta.type === 'liquidation' || row.delta.type === 'adl') && (
          <Button size="small" onClick={() => ask(row)}>
            {t('perps.why.button')}
          </Button>
        ),
    },
  ];
}

function amountOf(delta: LedgerDelta): string | undefined {
  if (delta.type === 'liquidation') return undefined;
  if (delta.type === 'adl') return delta.closedPnl;
  const leaves =
    delta.type === 'send' || delta.type === 'withdraw' || delta.type === 'outcomeSplit';
  return leaves ? negate(delta.amount) : delta.amount;
}

/** The numbers that made the venue act on its own. */
function Why({ update, onClose }: { readonly update: LedgerUpdate; readonly onClose: () => void }) {
  const t = useWords();
  const { delta, time } = update;
  const facts = factsOf(delta, t);
  return (
    <Dialog
      title={t(`perps.ledger.${delta.type}`)}
      description={wholeDate(time)}
      isOpen
      onClose={onClose}
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-13">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="text-right">{value}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function factsOf(delta: LedgerDelta, t: Words): readonly (readonly [string, string])[] {
  if (delta.type === 'adl') {
    return [
      [t('perps.column.market'), delta.coin],
      [t('perps.column.size'), number(delta.sz)],
      [t('perps.column.price'), number(delta.px)],
      [t('perps.column.closedPnl'), money(delta.closedPnl, { isSigned: true })],
      [t('perps.why.reason'), t('perps.why.adl')],
    ];
  }
  if (delta.type !== 'liquidation') return [];
  return [
    [
      t('perps.column.market'),
      delta.liquidatedPositions.map(({ coin, szi }) => `${coin} ${number(szi)}`).join(', '),
    ],
    [t('perps.column.mark'), number(delta.markPx)],
    [t('perps.why.equity'), money(delta.accountValue)],
    [t('perps.why.maintenance'), money(delta.maintenanceMargin)],
    [t('perps.why.step'), t(`perps.why.steps.${delta.step}`)],
    [t('perps.column.value'), money(delta.liquidatedNtlPos)],
  ];
}
