import type { OutcomeTimelineItem } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { classes } from '../../ui/class-names.ts';

const SHOWN = 10;

/** How the last ones ended, oldest first. */
export function ResultDots({
  items,
  nowMs,
}: {
  readonly items: readonly OutcomeTimelineItem[];
  readonly nowMs: number;
}) {
  const t = useWords();
  const past = items.filter(({ endTime }) => endTime <= nowMs).slice(0, SHOWN);
  const ups = past.filter(({ winningOutcome }) => winningOutcome === 'Yes').length;
  const downs = past.filter(({ winningOutcome }) => winningOutcome === 'No').length;
  if (past.length === 0) {
    return <span className="shrink-0 text-faint">{t('markets.series.first')}</span>;
  }
  return (
    <span
      role="img"
      aria-label={t('markets.series.results', { ups, downs })}
      className="flex shrink-0 items-center gap-1"
    >
      {past.toReversed().map(({ instrumentId, winningOutcome: winner }) => (
        <span
          key={instrumentId}
          className={classes(
            'size-2 rounded-full',
            winner === 'Yes' && 'bg-buy',
            winner === 'No' && 'bg-sell',
            winner === null && 'border border-muted',
          )}
        />
      ))}
    </span>
  );
}
