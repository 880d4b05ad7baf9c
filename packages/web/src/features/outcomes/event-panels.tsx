import type { OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { openOutcomeOrders } from '../../market/account.ts';
import { useSession } from '../../session/use-session.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { Activity } from './activity.tsx';
import { OutcomeBook } from './outcome-book.tsx';
import { OwnOrders } from './own-orders.tsx';
import { Rules } from './rules.tsx';
import type { Choosing } from './use-choice.ts';

/** What stands below the markets: the book, who traded, one's own orders, and the rules. */
export function EventPanels({
  event,
  market,
  choosing,
}: {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly choosing: Choosing;
}) {
  const { choice, choose, panel, setPanel, takePrice } = choosing;
  const t = useWords();
  const user = useSession()?.address;
  const all = openOutcomeOrders.use(user, ({ orders }) => orders);
  const ids = new Set(event.markets.map(({ instrument_id: id }) => id));
  const orders = all.filter(({ instrumentId }) => ids.has(instrumentId));
  return (
    <div className="mt-6 border-t border-line desktop:px-5">
      <Tabs
        label={t('outcomes.panels.label')}
        value={panel}
        onChange={setPanel}
        tabs={[
          {
            value: 'book',
            label: t('outcomes.panels.book'),
            content: (
              <OutcomeBook
                event={event}
                market={market}
                leg={choice.leg}
                onLeg={(leg) => choose({ leg, cents: undefined })}
                onPrice={takePrice}
                orders={orders}
              />
            ),
          },
          {
            value: 'activity',
            label: t('outcomes.panels.activity'),
            content: <Activity market={market} />,
          },
          {
            value: 'orders',
            label: t('outcomes.panels.orders'),
            count: orders.length,
            content: <OwnOrders event={event} orders={orders} />,
          },
          {
            value: 'rules',
            label: t('outcomes.panels.rules'),
            content: <Rules event={event} market={market} />,
          },
        ]}
      />
    </div>
  );
}
