import type { Leg, OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { openOutcomeOrders } from '../../market/account.ts';
import { useSession } from '../../session/use-session.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { useIsWide } from '../../ui/use-is-wide.ts';
import { Activity } from './activity.tsx';
import { Holders } from './holders.tsx';
import { OutcomeBook } from './outcome-book.tsx';
import { OwnOrders } from './own-orders.tsx';
import { Rules } from './rules.tsx';
import type { Choosing } from './use-choice.ts';

/** What stands below the markets: the book, who traded, who holds, one's own orders, and the rules. */
export function EventPanels({
  event,
  market,
  mark,
  choosing,
}: {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly mark: string | undefined;
  readonly choosing: Choosing;
}) {
  const { choice, choose, panel, setPanel, takePrice } = choosing;
  const t = useWords();
  // Where there is room, trades stand beside the book instead of behind it.
  const isWide = useIsWide();
  const user = useSession()?.address;
  const all = openOutcomeOrders.use(user, ({ orders }) => orders);
  const ids = new Set(event.markets.map(({ instrument_id: id }) => id));
  const orders = all.filter(({ instrumentId }) => ids.has(instrumentId));
  const activity = <Activity market={market} />;
  const { leg } = choice;
  const onLeg = (next: Leg): void => choose({ leg: next, cents: undefined });
  const seen = { event, market, mark, leg, onLeg, onPrice: takePrice, orders };
  const tabs = [
    {
      value: 'book' as const,
      label: t(isWide ? 'outcomes.panels.bookAndTrades' : 'outcomes.panels.book'),
      content: (
        <div className="grid gap-x-8 px-3 pt-2 pb-4 desktop:grid-cols-2">
          <OutcomeBook {...seen} />
          {isWide && activity}
        </div>
      ),
    },
    {
      value: 'activity' as const,
      label: t('outcomes.panels.activity'),
      content: <div className="px-3 pt-2 pb-4">{activity}</div>,
    },
    {
      value: 'holders' as const,
      label: t('outcomes.panels.holders'),
      content: <Holders key={market.instrument_id} market={market} />,
    },
    {
      value: 'orders' as const,
      label: t('outcomes.panels.orders'),
      count: orders.length,
      content: <OwnOrders event={event} orders={orders} />,
    },
    {
      value: 'rules' as const,
      label: t('outcomes.panels.rules'),
      content: <Rules event={event} market={market} />,
    },
  ];
  return (
    <div className="mt-6 border-t border-line desktop:px-5">
      <Tabs
        label={t('outcomes.panels.label')}
        value={isWide && panel === 'activity' ? 'book' : panel}
        onChange={setPanel}
        tabs={isWide ? tabs.filter(({ value }) => value !== 'activity') : tabs}
      />
    </div>
  );
}
