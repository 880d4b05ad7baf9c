import type { OutcomeTimelineItem } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { classes } from '../../ui/classes.ts';

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
  const neither = past.filter(isNeither).length;
  const results = t('markets.series.results', { ups, downs });
  if (past.length === 0) {
    return <span className="shrink-0 text-faint">{t('markets.series.first')}</span>;
  }
  return (
    <span
      role="img"
      aria-label={
        neither === 0 ? results : `${results}, ${t('markets.series.neither', { neither })}`
      }
      className="flex shrink-0 items-center gap-1"
    >
      {past.toReversed().map((item) => (
        <span
          key={item.instrumentId}
          className={classes(
            'size-2 rounded-full',
            item.winningOutcome === 'Yes' && 'bg-buy',
            item.winningOutcome === 'No' && 'bg-sell',
            item.winningOutcome === null && (isNeither(item) ? 'bg-muted' : 'border border-muted'),
          )}
        />
      ))}
    </span>
  );
}

/** Decided, and paid to both sides. */
function isNeither({ resolutionStatus, winningOutcome }: OutcomeTimelineItem): boolean {
  return resolutionStatus === 'resolved' && winningOutcome === null;
}
