import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ApiError, type Leg, type OutcomeEventMeta } from '@oddlot/sdk';
import { usePageTitle } from '../../lib/page-title.ts';
import { useWords } from '../../lib/words.ts';
import { outcomePrices } from '../../market/contexts.ts';
import { tickers } from '../../market/tickers.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { EventHead } from './event-head.tsx';
import { EventPanels, isPanel } from './event-panels.tsx';
import { Holdings } from './holdings.tsx';
import { markOf } from './market-facts.ts';
import { MarketRows } from './market-rows.tsx';
import { ProbabilityChart } from './probability-chart.tsx';
import { RANGES, useAskWhenGone, useEvent, type Range } from './queries.ts';
import { TradeSide } from './trade-side.tsx';
import type { Choice } from './ticket/ticket.tsx';

/** As many markets as one subscription takes. */
const MARKETS_MAX = 50;

/** One event: what may happen, what people think of it, and the ticket. */
export function Screen() {
  const t = useWords();
  const { slug }: { readonly slug?: string } = useParams({ strict: false });
  const { data: event, error, isPending } = useEvent(slug);
  usePageTitle(event?.title);
  if (event !== undefined) return <Event key={event.slug} event={event} />;
  if (isPending) {
    return (
      <div className="flex h-full items-center justify-center text-muted">
        <Spinner />
      </div>
    );
  }
  if (error instanceof ApiError && error.code === 10_404) {
    return <EmptyState title={t('outcomes.noEvent')} text={t('outcomes.noEventText')} />;
  }
  return (
    <div className="p-4">
      <ErrorSentence error={error} />
    </div>
  );
}

type Search = {
  readonly market?: unknown;
  readonly leg?: unknown;
  readonly range?: unknown;
  readonly panel?: unknown;
};

function Event({ event }: { readonly event: OutcomeEventMeta }) {
  const navigate = useNavigate();
  const search: Search = useSearch({ strict: false });
  const [isSheetOpen, setIsSheetOpen] = useState(false);
  const [ticket, setTicket] = useState<Omit<Choice, 'leg'>>({ intent: 'buy', cents: undefined });
  const ids = useMemo(
    () => event.markets.slice(0, MARKETS_MAX).map(({ instrument_id: id }) => id),
    [event],
  );
  const byId = tickers.use({ accountType: 'outcome', instrumentIds: ids }, (state) => state.byId);
  useAskWhenGone(
    event,
    useMemo(() => new Set(byId.keys()), [byId]),
  );
  const bbos = outcomePrices.use(ids, (state) => state.byId);
  const market = event.markets.find((each) => each.slug === search.market) ?? event.markets[0];
  const leg: Leg = search.leg === 'no' ? 'No' : 'Yes';
  const range = isRange(search.range) ? search.range : '1D';
  const set = (part: Search): void => {
    const next = { ...search, ...part };
    void navigate({ to: `/events/${event.slug}`, search: next, replace: true });
  };
  if (market === undefined) return <EventHead event={event} />;
  const choose = (part: Partial<Choice>): void => {
    const { leg: nextLeg, ...rest } = part;
    setTicket((before) => ({ ...before, ...rest }));
    if (nextLeg !== undefined && nextLeg !== leg) set({ leg: nextLeg === 'No' ? 'no' : undefined });
  };
  return (
    <div className="flex min-h-full max-desktop:flex-col">
      <div className="min-w-0 flex-1 max-desktop:pb-16">
        <div className="flex flex-col gap-4 px-4 pt-5 desktop:px-8">
          <EventHead event={event} onRules={() => set({ panel: 'rules' })} />
          <ProbabilityChart
            event={event}
            byId={byId}
            range={range}
            onRange={(next) => set({ range: next === '1D' ? undefined : next })}
          />
          <MarketRows
            event={event}
            byId={byId}
            bbos={bbos}
            selected={market.instrument_id}
            onSelect={(chosen) => set({ market: chosen.slug })}
            onTrade={(chosen, side) => {
              setTicket({ intent: 'buy', cents: undefined });
              set({ market: chosen.slug, leg: side === 'No' ? 'no' : undefined });
              setIsSheetOpen(true);
            }}
          />
          <Holdings
            event={event}
            market={market}
            bbo={bbos.get(market.instrument_id)}
            onSell={(side) => {
              choose({ intent: 'sell', leg: side, cents: undefined });
              setIsSheetOpen(true);
            }}
          />
        </div>
        <EventPanels
          event={event}
          market={market}
          leg={leg}
          onLeg={(next) => choose({ leg: next, cents: undefined })}
          panel={isPanel(search.panel) ? search.panel : 'book'}
          onPanel={(panel) => set({ panel: panel === 'book' ? undefined : panel })}
          onPrice={(cents) => {
            const { intent } = ticket;
            const isOrder = intent === 'buy' || intent === 'sell';
            choose({ cents, intent: isOrder ? intent : 'buy' });
          }}
        />
      </div>
      <TradeSide
        event={event}
        market={market}
        mark={markOf(market, byId)}
        bbo={bbos.get(market.instrument_id)}
        choice={{ ...ticket, leg }}
        onChoose={choose}
        isSheetOpen={isSheetOpen}
        onSheet={setIsSheetOpen}
      />
    </div>
  );
}

function isRange(value: unknown): value is Range {
  return typeof value === 'string' && value in RANGES;
}
