import type { Leg, OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { openOutcomeOrders } from '../../market/account.ts';
import { useSession } from '../../session/use-session.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { Activity } from './activity.tsx';
import { OutcomeBook } from './outcome-book.tsx';
import { OwnOrders } from './own-orders.tsx';
import { Rules } from './rules.tsx';

const PANELS = ['book', 'activity', 'orders', 'rules'] as const;
export type Panel = (typeof PANELS)[number];

export function isPanel(value: unknown): value is Panel {
  return PANELS.includes(value as Panel);
}

/** What stands below the markets: the book, who traded, one's own orders, and the rules. */
export function EventPanels({
  event,
  market,
  leg,
  onLeg,
  panel,
  onPanel,
  onPrice,
}: {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly leg: Leg;
  readonly onLeg: (leg: Leg) => void;
  readonly panel: Panel;
  readonly onPanel: (panel: Panel) => void;
  readonly onPrice: (cents: string) => void;
}) {
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
        onChange={onPanel}
        tabs={[
          {
            value: 'book',
            label: t('outcomes.panels.book'),
            content: (
              <OutcomeBook
                event={event}
                market={market}
                leg={leg}
                onLeg={onLeg}
                onPrice={onPrice}
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
