import { useState } from 'react';
import type { OutcomeSeriesTimeline, OutcomeTimelineItem } from '@oddlot/sdk';
import { number } from '../../lib/format.ts';
import { clockTime, dateTime } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/time-column.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { PaidOut } from './holdings.tsx';
import { useEvent } from './queries.ts';
import { Receipt } from './receipt.tsx';

const SHOWN = 20;

/** How the last twenty ended, oldest first; each opens its receipt. */
export function SeriesResults({ timeline }: { readonly timeline: OutcomeSeriesTimeline }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const [opened, setOpened] = useState<OutcomeTimelineItem>();
  const past = timeline.items
    .filter(({ endTime, resolutionStatus: status }) => status === 'resolved' || endTime <= nowMs)
    .slice(0, SHOWN)
    .toReversed();
  return (
    <section aria-labelledby="results">
      <h2 id="results" className="text-12 text-muted">
        {t('outcomes.series.results')}
      </h2>
      {past.length === 0 ? (
        <p className="mt-1 text-12">{t('outcomes.series.noResults')}</p>
      ) : (
        <ol className="mt-2 flex flex-wrap gap-1.5">
          {past.map((item) => (
            <li key={item.instrumentId}>
              <Dot item={item} onOpen={() => setOpened(item)} />
            </li>
          ))}
        </ol>
      )}
      <Dialog
        title={t('outcomes.receipt.label')}
        isOpen={opened !== undefined}
        onClose={() => setOpened(undefined)}
      >
        {opened !== undefined && <PastReceipt eventSlug={opened.eventSlug} />}
      </Dialog>
    </section>
  );
}

/** What the market that ended last paid to who held it when it rolled over. */
export function LastPaid({ timeline }: { readonly timeline: OutcomeSeriesTimeline }) {
  const last = timeline.items.find(({ resolutionStatus: status }) => status === 'resolved');
  const { data: event } = useEvent(last?.eventSlug);
  const market = event?.markets[0];
  if (event === undefined || market === undefined) return null;
  return <PaidOut event={event} market={market} />;
}

function Dot({
  item,
  onOpen,
}: {
  readonly item: OutcomeTimelineItem;
  readonly onOpen: () => void;
}) {
  const t = useWords();
  const { closePrice, endTime, openPrice, winningOutcome: winner } = item;
  const isDecided = item.resolutionStatus === 'resolved';
  const result = resultOf(item, t);
  const prices =
    openPrice !== null && closePrice !== null
      ? `${number(openPrice, { decimals: 2 })} → ${number(closePrice, { decimals: 2 })}`
      : '';
  return (
    <button
      type="button"
      onClick={onOpen}
      title={`${dateTime(endTime)} ${result} ${prices}`}
      aria-label={t('outcomes.series.result', { when: clockTime(endTime), result })}
      className={classes(
        'flex size-6 items-center justify-center rounded-full border text-11',
        winner === 'Yes' && 'border-buy bg-buy/15 text-buy-strong',
        winner === 'No' && 'border-sell bg-sell/15 text-sell-strong',
        winner === null && 'border-line text-muted',
      )}
    >
      {winner === null ? (isDecided ? '=' : '·') : winner === 'Yes' ? '↑' : '↓'}
    </button>
  );
}

function resultOf(item: OutcomeTimelineItem, t: Words): string {
  const { decidedBy, probability, resolutionStatus, winningOutcome: winner } = item;
  if (winner !== null) return t(winner === 'Yes' ? 'outcomes.series.up' : 'outcomes.series.down');
  // Once it is resolved, what is shown as the chance is what YES paid.
  if (resolutionStatus === 'resolved') {
    return t('outcomes.series.neither', { amount: number(probability) });
  }
  return t(decidedBy === 'operator' ? 'outcomes.series.byHand' : 'outcomes.series.pending');
}

function PastReceipt({ eventSlug }: { readonly eventSlug: string }) {
  const t = useWords();
  const { data: event } = useEvent(eventSlug);
  const market = event?.markets[0];
  if (market === undefined) return null;
  if (market.phase !== 'resolved') {
    const isByHand = market.settlement.decided_by === 'operator';
    return <p>{t(isByHand ? 'outcomes.series.waitsForOperator' : 'outcomes.series.waits')}</p>;
  }
  return <Receipt event={event} market={market} />;
}
