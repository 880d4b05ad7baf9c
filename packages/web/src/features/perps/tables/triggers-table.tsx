import { useMemo } from 'react';
import type { TriggerOrder } from '@oddlot/sdk';
import { number } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { useAct } from '../use-act.ts';
import { MarketLink } from './market-link.tsx';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { SideWord } from './side-word.tsx';

/** Orders that wait for the mark; those of a position are with the position. */
export function TriggersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const triggers = openOrders.use(user, (state) => state.triggers);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('perps.tables.triggers')}
      columns={columns}
      rows={triggers}
      rowKey={({ oid }) => oid}
      empty={<EmptyState title={t('perps.empty.triggers')} text={t('perps.empty.triggersText')} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<TriggerOrder>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      width: '120px',
      cell: ({ coin }) => <MarketLink name={coin} />,
    },
    {
      id: 'side',
      header: t('perps.column.side'),
      cell: ({ side }) => (
        <SideWord side={side} text={t(side === 'B' ? 'perps.buy' : 'perps.sell')} />
      ),
    },
    {
      id: 'trigger',
      header: t('perps.column.trigger'),
      align: 'right',
      cell: ({ asset, triggerPx }) => <OnGrid coin={asset} value={triggerPx} />,
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      align: 'right',
      from: 'tablet',
      cell: ({ asset, limitPx, orderType }) =>
        orderType === 'Market' ? t('perps.market') : <OnGrid coin={asset} value={limitPx} />,
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      align: 'right',
      from: 'tablet',
      cell: ({ asset, sz }) => <SizeOnGrid coin={asset} value={sz} />,
    },
    {
      id: 'state',
      header: t('perps.column.state'),
      from: 'tablet',
      cell: ({ reduceOnly, triggerState }) => (
        <span className="text-muted">
          {t(`perps.triggerState.${triggerState}`)}
          {reduceOnly && ` · ${t('perps.ticket.reduceOnly')}`}
        </span>
      ),
    },
    {
      id: 'time',
      header: t('perps.column.time'),
      align: 'right',
      from: 'desktop',
      cell: ({ createTime }) => dateTime(createTime),
    },
    {
      id: 'actions',
      header: <span className="heard">{t('perps.column.actions')}</span>,
      align: 'right',
      width: '90px',
      cell: (row) => <TriggerActions trigger={row} />,
    },
  ];
}

function TriggerActions({ trigger }: { readonly trigger: TriggerOrder }) {
  const t = useWords();
  const { act, canAct, isBusy } = useAct();
  const { asset, oid, triggerPx } = trigger;
  if (!canAct) return null;
  const cancels = [{ a: Number(asset), o: oid }];
  return (
    <Button
      size="small"
      isBusy={isBusy}
      aria-label={t('perps.cancel.label', { price: number(triggerPx) })}
      onClick={() =>
        void act((trader) => trader.exchange.cancel({ cancels }, { confirm: 'executed' }))
      }
    >
      {t('perps.cancel.button')}
    </Button>
  );
}
