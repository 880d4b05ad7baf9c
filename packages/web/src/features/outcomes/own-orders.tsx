import { useState, type ReactNode } from 'react';
import type { OutcomeEventMeta, OutcomeMarketMeta, OutcomeOpenOrder } from '@oddlot/sdk';
import { REPORT_KEY, ReportButton, useReport } from '../../account-tables/report/report-button.tsx';
import { subtract } from '../../lib/decimal.ts';
import { explainError } from '../../lib/explain-error.ts';
import { cents, number } from '../../lib/format.ts';
import { dateTime } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { openOutcomeOrders } from '../../market/account.ts';
import { priceDecimals } from '../../market/on-grid.tsx';
import { useSession } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { pressesKey } from '../../ui/presses-key.ts';
import { notify } from '../../ui/toast.tsx';
import { legName, nameOf } from './market-facts.ts';

/** Resting orders on an event, each with the way to take it back. */
export function OwnOrders({
  event,
  orders,
}: {
  readonly event: OutcomeEventMeta;
  readonly orders: readonly OutcomeOpenOrder[];
}) {
  const t = useWords();
  const trader = useSession()?.trader;
  const [leaving, setLeaving] = useState<ReadonlySet<number>>(new Set());
  const user = useSession()?.address;
  const isLoaded = openOutcomeOrders.use(user, (state) => state.isLoaded);
  const { dialog, open } = useReport(user ?? '');
  if (orders.length === 0) {
    // Nothing is said before it is known that there is nothing.
    if (user !== undefined && !isLoaded) return null;
    return (
      <>
        <EmptyState title={t('outcomes.orders.empty')} text={t('outcomes.orders.emptyText')} />
        {dialog}
      </>
    );
  }
  const cancel = async ({ instrumentId, oid }: OutcomeOpenOrder): Promise<void> => {
    setLeaving((before) => new Set([...before, oid]));
    try {
      const cancels = [{ a: instrumentId, o: oid }];
      const reply = await trader?.exchange.cancel({ cancels }, { confirm: 'executed' });
      const error = reply?.status === 'executed' ? reply.orders[0]?.error : undefined;
      if (error !== undefined && error !== null) notify({ title: error, tone: 'warning' });
    } catch (fault) {
      notify({ title: explainError(fault, t).sentence, tone: 'warning' });
    }
    setLeaving((before) => new Set([...before].filter((each) => each !== oid)));
  };
  return (
    <>
      <ul className="p-3" aria-label={t('outcomes.panels.orders')}>
        {orders.map((order) => {
          const market = event.markets.find((each) => each.instrument_id === order.instrumentId);
          if (market === undefined) return null;
          const row = { order, market, name: nameOf(market, event), onOpen: open };
          return (
            <OwnOrder key={order.oid} {...row}>
              {trader !== undefined && (
                <Button
                  size="small"
                  isBusy={leaving.has(order.oid)}
                  onClick={() => void cancel(order)}
                >
                  {t('outcomes.orders.cancel')}
                </Button>
              )}
            </OwnOrder>
          );
        })}
      </ul>
      {dialog}
    </>
  );
}

/** What rests, and for how long; a press on what it is tells how it was executed. */
function OwnOrder({
  order,
  market,
  name,
  onOpen,
  children,
}: {
  readonly order: OutcomeOpenOrder;
  readonly market: OutcomeMarketMeta;
  readonly name: string;
  readonly onOpen: (oid: number) => void;
  readonly children: ReactNode;
}) {
  const t = useWords();
  const words = {
    shares: number(order.origSz),
    leg: legName(market, order.outcome),
    price: cents(order.limitPx, priceDecimals(market)),
  };
  return (
    <li className="border-b border-line/50">
      <div
        role="presentation"
        onKeyDown={(press) => pressesKey(press, REPORT_KEY) && onOpen(order.oid)}
        className="flex h-10 items-center gap-4 px-2 text-12"
      >
        <span className="min-w-0 flex-1 truncate">
          <span className={order.reduceOnly ? 'text-sell' : 'text-buy'}>
            <ReportButton oid={order.oid} onOpen={onOpen}>
              {/* Else it would be called as the button of the ticket is, which buys. */}
              <span className="heard">{t('origin.reportLabel')} </span>
              {t(order.reduceOnly ? 'outcomes.ticket.sellAt' : 'outcomes.ticket.buyAt', words)}
            </ReportButton>
          </span>{' '}
          <span className="text-muted">{name}</span>
        </span>
        <span className="text-muted max-tablet:hidden">
          {t('outcomes.orders.filled', { filled: number(subtract(order.origSz, order.sz)) })}
        </span>
        <span className="text-muted max-tablet:hidden">{lifeOf(order, market, t)}</span>
        {children}
      </div>
    </li>
  );
}

/** Until when it stays: its own time, or the close of the market where that comes first. */
function lifeOf(
  { expireTime }: OutcomeOpenOrder,
  { end_time: endMs }: OutcomeMarketMeta,
  t: Words,
): string {
  if (expireTime === undefined) return t('outcomes.ticket.gtc');
  if (expireTime > endMs) return t('outcomes.orders.untilClose', { when: dateTime(endMs) });
  return t('outcomes.orders.until', { when: dateTime(expireTime) });
}
