import type { Leg, OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import { chance } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { lacksStrike, legName, nameOf } from '../market-facts.ts';
import { OrderForm } from './order-form.tsx';
import { PairForm } from './pair-form.tsx';
import { countdown, hourMinute } from '../../../lib/time.ts';
import { useVenueSecond } from '../../../market/time-column.tsx';

type Intent = 'buy' | 'sell' | 'split' | 'merge';

/** What a ticket is about; it lives in the screen, since rows and books choose it too. */
export type Choice = {
  readonly intent: Intent;
  readonly leg: Leg;
  /** A price that somebody pressed in the book, in cents. */
  readonly cents: string | undefined;
};

type TicketPanelProps = {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly mark: string | undefined;
  readonly choice: Choice;
  readonly onChoose: (choice: Partial<Choice>) => void;
};

export function TicketPanel({ event, market, mark, choice, onChoose }: TicketPanelProps) {
  const t = useWords();
  // R-phases: after the close nothing is bought, sold or split, and pairs can be merged until the result is there.
  const isOver = market.phase === 'closed' || market.phase === 'resolved';
  const intent = isOver ? 'merge' : choice.intent;
  const isPair = intent === 'split' || intent === 'merge';
  return (
    <section aria-label={t('outcomes.ticket.label')} className="flex flex-col gap-3">
      {/* In a sheet the name is its title. */}
      <div className="flex items-baseline justify-between gap-3 max-desktop:hidden">
        <h2 className="min-w-0 truncate text-15 font-semibold">{nameOf(market, event)}</h2>
        <span className="text-muted">{chance(mark)}</span>
      </div>
      {!isOver && (
        <Segmented
          label={t('outcomes.ticket.intent')}
          value={intent}
          onChange={(next) => onChoose({ intent: next, cents: undefined })}
          segments={[
            { value: 'buy', label: t('outcomes.ticket.buy') },
            { value: 'sell', label: t('outcomes.ticket.sell') },
            { value: 'split', label: t('outcomes.ticket.split') },
            { value: 'merge', label: t('outcomes.ticket.merge') },
          ]}
        />
      )}
      <PhaseNotice market={market} />
      <NoStrike market={market} />
      {isPair ? (
        <PairForm key={`${market.instrument_id} ${intent}`} market={market} kind={intent} />
      ) : (
        <OrderForm
          key={`${market.instrument_id} ${intent}`}
          market={market}
          intent={intent}
          leg={choice.leg}
          bookCents={choice.cents}
          onLeg={(leg) => onChoose({ leg, cents: undefined })}
        />
      )}
    </section>
  );
}

/** Why nothing can be traded at the moment, for whoever opens the ticket; nothing where it can. */
function PhaseNotice({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  if (market.trading.accepting_orders) return null;
  return (
    <p role="status" className="border-s-2 border-warning py-1 ps-3 text-12">
      {market.phase === 'upcoming' ? (
        <Opens startMs={market.start_time} />
      ) : (
        t(`outcomes.phase.${market.phase}Text`)
      )}
    </p>
  );
}

function Opens({ startMs }: { readonly startMs: number }) {
  const t = useWords();
  const leftMs = startMs - useVenueSecond();
  return (
    <span className="tabular-nums">
      {leftMs > 0
        ? t('outcomes.phase.opensIn', { when: countdown(leftMs) })
        : t('outcomes.phase.upcomingText')}
    </span>
  );
}

/** What somebody has to know before buying shares of a market that nothing but its operator can decide (R-series). */
function NoStrike({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  if (!lacksStrike(market)) return null;
  return (
    <p role="alert" className="border-s-2 border-warning py-1 ps-3 text-12">
      {t('outcomes.series.noStrikeText', {
        when: hourMinute(market.start_time),
        yes: legName(market, 'Yes'),
        no: legName(market, 'No'),
      })}
    </p>
  );
}
