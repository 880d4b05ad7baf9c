import { useMemo, useState } from 'react';
import type { PerpMeta, TriggerOrder } from '@oddlot/sdk';
import {
  REPORT_KEY,
  ReportButton,
  useReport,
} from '../../../account-tables/report/report-button.tsx';
import { compare, isDecimal, sign } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { dateTimeSecond } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { contexts } from '../../../market/contexts.ts';
import { OnGrid, priceDecimals, SizeOnGrid } from '../../../market/on-grid.tsx';
import { usePerp } from '../../../market/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { useAct } from '../use-act.ts';
import { isPastMark, isReplaceable, kindOfWaiting, replaceTrigger } from './waiting-exits.ts';
import { MarketLink, SideWord } from './cells.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { gridOf } from '../grid.ts';
import { FiresNow } from './position-exits.tsx';

/** Orders that wait for the mark; those of a position are with the position. */
export function TriggersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, triggers } = openOrders.use(user, (state) => state);
  const { dialog, open } = useReport(user);
  const columns = useMemo(() => columnsOf(t, open), [t, open]);
  return (
    <>
      <Table
        label={t('perps.tables.triggers')}
        columns={columns}
        rows={triggers}
        rowKey={({ oid }) => oid}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        empty={
          isLoaded && (
            <EmptyState title={t('perps.empty.triggers')} text={t('perps.empty.triggersText')} />
          )
        }
      />
      {dialog}
    </>
  );
}

function columnsOf(t: Words, open: (oid: number) => void): readonly Column<TriggerOrder>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      width: '104px',
      phoneWidth: '80px',
      cell: ({ coin }) => <MarketLink name={coin} />,
    },
    {
      id: 'side',
      header: t('perps.column.side'),
      width: '90px',
      phoneWidth: '72px',
      cell: (row) => <Direction trigger={row} />,
    },
    {
      id: 'trigger',
      header: t('perps.column.trigger'),
      width: '96px',
      phoneWidth: '78px',
      align: 'right',
      cell: ({ asset, oid, triggerPx }) => (
        <ReportButton oid={oid} onOpen={open}>
          <OnGrid coin={asset} value={triggerPx} />
        </ReportButton>
      ),
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      width: '96px',
      align: 'right',
      from: 'tablet',
      cell: ({ asset, limitPx, orderType }) =>
        orderType === 'Market' ? t('perps.market') : <OnGrid coin={asset} value={limitPx} />,
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      width: '112px',
      align: 'right',
      from: 'tablet',
      cell: ({ asset, sz }) => <SizeOnGrid coin={asset} value={sz} />,
    },
    ...endColumns(t),
  ];
}

/** How it stands, and what can be done about it. */
function endColumns(t: Words): readonly Column<TriggerOrder>[] {
  return [
    {
      id: 'state',
      width: '150px',
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
      width: '128px',
      cell: ({ createTime }) => dateTimeSecond(createTime),
    },
    {
      id: 'actions',
      header: <span className="heard">{t('perps.column.actions')}</span>,
      align: 'right',
      width: '136px',
      phoneWidth: '122px',
      cell: (row) => <TriggerActions trigger={row} />,
    },
  ];
}

/** The side, and whether it takes a profit or stops a loss. */
function Direction({ trigger }: { readonly trigger: TriggerOrder }) {
  const t = useWords();
  const { asset, side, triggerState } = trigger;
  const markPx = contexts.use(asset, ({ ctx }) => ctx?.markPx);
  const word = t(side === 'B' ? 'perps.buy' : 'perps.sell');
  if (triggerState !== 'Pending' || !isDecimal(markPx)) return <SideWord side={side} text={word} />;
  const isProfit = kindOfWaiting(trigger, markPx) === 'tp';
  const kind = t(isProfit ? 'perps.ticket.takeProfit' : 'perps.ticket.stopLoss');
  return <SideWord side={side} text={`${word} · ${kind}`} />;
}

function TriggerActions({ trigger }: { readonly trigger: TriggerOrder }) {
  const t = useWords();
  const { act, canAct, isBusy } = useAct();
  const [isAmending, setIsAmending] = useState(false);
  const { asset, oid, triggerPx } = trigger;
  const perp = usePerp(asset);
  if (!canAct || perp === undefined) return null;
  const cancels = [{ a: Number(asset), o: oid }];
  const words = { price: number(triggerPx, { decimals: priceDecimals(perp) }) };
  return (
    <span className="inline-flex gap-1">
      {isReplaceable(trigger) && (
        <Button
          size="small"
          disabled={isBusy}
          aria-label={t('perps.amend.label', words)}
          onClick={() => setIsAmending(true)}
        >
          {t('perps.amend.button')}
        </Button>
      )}
      <Button
        size="small"
        isBusy={isBusy}
        aria-label={t('perps.cancel.label', words)}
        onClick={() =>
          void act((trader) => trader.exchange.cancel({ cancels }, { confirm: 'executed' }))
        }
      >
        {t('perps.cancel.button')}
      </Button>
      {isAmending && (
        <AmendTrigger trigger={trigger} perp={perp} onClose={() => setIsAmending(false)} />
      )}
    </span>
  );
}

/** Another price, or another limit, for an order that waits for the mark. */
function AmendTrigger({
  trigger,
  perp,
  onClose,
}: {
  readonly trigger: TriggerOrder;
  readonly perp: PerpMeta;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const { priceDecimals: decimals, sizeDecimals, tick } = gridOf(perp);
  const markPx = contexts.use(trigger.asset, ({ ctx }) => ctx?.markPx);
  const before = trigger.orderType === 'Market' ? '' : trigger.limitPx;
  const [triggerPrice, setTriggerPrice] = useState(trigger.triggerPx);
  const [limit, setLimit] = useState(before);
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const firesNow = isDecimal(markPx) && isPastMark(trigger, triggerPrice, markPx);
  const isReady = !firesNow && isAnother(trigger, triggerPrice, limit);
  const save = async (): Promise<void> => {
    if (!isReady || !isDecimal(markPx)) return;
    setFault(undefined);
    const prices = { triggerPrice, limitPrice: limit === '' ? undefined : limit };
    const reply = await act((trader) => replaceTrigger(trader, trigger, prices, markPx));
    if (reply !== undefined) onClose();
  };
  const words = {
    size: number(trigger.sz, { decimals: sizeDecimals }),
    market: trigger.coin,
    mark: number(markPx, { decimals }),
  };
  return (
    <Dialog
      title={t('perps.amend.trigger')}
      description={t(trigger.side === 'B' ? 'perps.amend.buyText' : 'perps.amend.sellText', words)}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <NumberField
          label={t('perps.ticket.triggerPrice')}
          value={triggerPrice}
          step={tick}
          onChange={setTriggerPrice}
          onEnter={() => void save()}
        />
        <NumberField
          label={t('perps.ticket.limitPrice')}
          value={limit}
          step={tick}
          placeholder={t('perps.ticket.atMarket')}
          onChange={setLimit}
          onEnter={() => void save()}
        />
        {firesNow && <FiresNow />}
        {fault !== undefined && <ErrorSentence error={fault} />}
        <Button
          kind="accent"
          isWide
          isBusy={isBusy}
          disabled={!canAct || !isReady || !isDecimal(markPx)}
          onClick={() => void save()}
        >
          {t('perps.amend.replace')}
        </Button>
      </div>
    </Dialog>
  );
}

/** Whether it is a trigger, and not the one that waits. */
function isAnother(
  { limitPx, orderType, triggerPx }: TriggerOrder,
  triggerPrice: string,
  limit: string,
): boolean {
  if (!isPrice(triggerPrice) || (limit !== '' && !isPrice(limit))) return false;
  if (compare(triggerPrice, triggerPx) !== 0) return true;
  if (orderType === 'Market' || limit === '') return (orderType === 'Market') !== (limit === '');
  return compare(limit, limitPx) !== 0;
}

function isPrice(text: string): boolean {
  return isDecimal(text) && sign(text) > 0;
}
