import { useState } from 'react';
import type { OutcomeEventMeta, OutcomeMarketMeta, OutcomeOpenOrder } from '@oddlot/sdk';
import { subtract } from '../../lib/decimal.ts';
import { explainError } from '../../lib/explain-error.ts';
import { cents, number } from '../../lib/format.ts';
import { dateTime } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { openOutcomeOrders } from '../../market/account.ts';
import { useSession } from '../../session/use-session.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
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
  if (orders.length === 0) {
    // Nothing is said before it is known that there is nothing.
    if (user !== undefined && !isLoaded) return null;
    return <EmptyState title={t('outcomes.orders.empty')} text={t('outcomes.orders.emptyText')} />;
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
    <ul className="p-3" aria-label={t('outcomes.panels.orders')}>
      {orders.map((order) => {
        const market = event.markets.find((each) => each.instrument_id === order.instrumentId);
        if (market === undefined) return null;
        const words = {
          shares: number(order.origSz),
          leg: legName(market, order.outcome),
          price: cents(order.limitPx, market.price_decimals),
        };
        return (
          <li
            key={order.oid}
            className="flex h-10 items-center gap-4 border-b border-line/50 px-2 text-12"
          >
            <span className="min-w-0 flex-1 truncate">
              <span className={order.reduceOnly ? 'text-sell' : 'text-buy'}>
                {t(order.reduceOnly ? 'outcomes.ticket.sellAt' : 'outcomes.ticket.buyAt', words)}
              </span>{' '}
              <span className="text-muted">{nameOf(market, event)}</span>
            </span>
            <span className="text-muted max-tablet:hidden">
              {t('outcomes.orders.filled', { filled: number(subtract(order.origSz, order.sz)) })}
            </span>
            <span className="text-muted max-tablet:hidden">{lifeOf(order, market, t)}</span>
            {trader !== undefined && (
              <Button
                size="small"
                isBusy={leaving.has(order.oid)}
                onClick={() => void cancel(order)}
              >
                {t('outcomes.orders.cancel')}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
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
