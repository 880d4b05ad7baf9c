import { useMemo, useState } from 'react';
import type { OpenOrder } from '@oddlot/sdk';
import { subtract } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { usePerp } from '../../../market/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { gridOf } from '../grid.ts';
import { useAct } from '../use-act.ts';
import { MarketLink } from './market-link.tsx';
import { OnGrid, SizeOnGrid } from './positions-table.tsx';
import { SideWord } from './side-word.tsx';

export function OrdersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const orders = openOrders.use(user, (state) => state.orders);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('perps.tables.orders')}
      columns={columns}
      rows={orders}
      rowKey={({ oid }) => oid}
      empty={<EmptyState title={t('perps.empty.orders')} text={t('perps.empty.ordersText')} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<OpenOrder>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      width: '120px',
      cell: ({ symbol }) => <MarketLink name={symbol} />,
    },
    {
      id: 'side',
      header: t('perps.column.side'),
      from: 'tablet',
      cell: ({ dir, side }) => <SideWord side={side} text={dir} />,
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      align: 'right',
      cell: ({ instrumentId, limitPx }) => <OnGrid coin={String(instrumentId)} value={limitPx} />,
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      align: 'right',
      cell: ({ instrumentId, origSz }) => <SizeOnGrid coin={String(instrumentId)} value={origSz} />,
    },
    {
      id: 'filled',
      header: t('perps.column.filled'),
      align: 'right',
      from: 'tablet',
      cell: ({ instrumentId, origSz, sz }) => (
        <SizeOnGrid coin={String(instrumentId)} value={subtract(origSz, sz)} />
      ),
    },
    {
      id: 'kind',
      header: t('perps.column.kind'),
      from: 'tablet',
      cell: ({ expireTime, reduceOnly, tif }) => (
        <span className="text-muted">
          {tif}
          {expireTime !== undefined && ` ${dateTime(expireTime)}`}
          {reduceOnly && ` · ${t('perps.ticket.reduceOnly')}`}
        </span>
      ),
    },
    {
      id: 'time',
      header: t('perps.column.time'),
      from: 'desktop',
      align: 'right',
      cell: ({ timestamp }) => dateTime(timestamp),
    },
    {
      id: 'actions',
      header: <span className="heard">{t('perps.column.actions')}</span>,
      align: 'right',
      width: '150px',
      cell: (order) => <OrderActions order={order} />,
    },
  ];
}

function OrderActions({ order }: { readonly order: OpenOrder }) {
  const t = useWords();
  const [isAmending, setIsAmending] = useState(false);
  const { act, canAct, isBusy } = useAct();
  if (!canAct) return null;
  const { instrumentId, limitPx, oid } = order;
  const words = { price: number(limitPx) };
  const cancel = (): void => {
    const cancels = [{ a: instrumentId, o: oid }];
    void act((trader) => trader.exchange.cancel({ cancels }, { confirm: 'executed' }));
  };
  return (
    <span className="inline-flex gap-1">
      <Button
        size="small"
        disabled={isBusy}
        aria-label={t('perps.amend.label', words)}
        onClick={() => setIsAmending(true)}
      >
        {t('perps.amend.button')}
      </Button>
      <Button
        size="small"
        isBusy={isBusy}
        aria-label={t('perps.cancel.label', words)}
        onClick={cancel}
      >
        {t('perps.cancel.button')}
      </Button>
      {isAmending && <AmendDialog order={order} onClose={() => setIsAmending(false)} />}
    </span>
  );
}

/** Another price or size for an order that rests; at the same price it keeps its place. */
function AmendDialog({
  order,
  onClose,
}: {
  readonly order: OpenOrder;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const { instrumentId, limitPx, oid, origSz, symbol } = order;
  const perp = usePerp(String(instrumentId));
  const grid = perp === undefined ? undefined : gridOf(perp);
  const [price, setPrice] = useState(limitPx);
  const [size, setSize] = useState(origSz);
  const [fault, setFault] = useState<unknown>();
  const { act, isBusy } = useAct(setFault);
  const save = async (): Promise<void> => {
    setFault(undefined);
    const reply = await act((trader) =>
      trader.exchange.modify2(
        { a: instrumentId, o: oid, p: price, s: size },
        { confirm: 'executed' },
      ),
    );
    if (reply !== undefined) onClose();
  };
  return (
    <Dialog
      title={t('perps.amend.title', { market: symbol })}
      description={t('perps.amend.text')}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <NumberField
          label={t('perps.ticket.price')}
          value={price}
          step={grid?.tick}
          onChange={setPrice}
          onEnter={() => void save()}
        />
        <NumberField
          label={t('perps.ticket.size')}
          value={size}
          step={grid?.lot}
          unit={perp?.baseCurrency}
          onChange={setSize}
          onEnter={() => void save()}
        />
        {fault !== undefined && (
          <ErrorSentence
            error={fault}
            onRemedy={(remedy) => {
              if (remedy.kind !== 'useValue') return undefined;
              return () => (remedy.field === 's' ? setSize(remedy.value) : setPrice(remedy.value));
            }}
          />
        )}
        <Button kind="accent" isWide isBusy={isBusy} onClick={() => void save()}>
          {t('perps.amend.save', { size: number(size), price: number(price) })}
        </Button>
      </div>
    </Dialog>
  );
}
