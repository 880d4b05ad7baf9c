import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { explainRefusal } from '../../../lib/explain-error.ts';
import { isDecimal, sign } from '../../../lib/decimal.ts';
import { cents, number } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/on-grid.tsx';
import { queryClient } from '../../../market/queries.ts';
import { type Fate, fateOf, isOver, outcomeFates, type SentOrder } from './fate.ts';
import { reader, venueNow } from '../../../market/venue.ts';
import { classes } from '../../../ui/classes.ts';

/** Streams tell within this time; a receipt is asked for when they do not. */
const RECEIPT_AFTER_MS = 1_500;

type OrderFateProps = {
  readonly user: string;
  readonly sent: SentOrder;
  readonly market: OutcomeMarketMeta;
};

export function OrderFate({ user, sent, market }: OrderFateProps) {
  const t = useWords();
  const fates = outcomeFates.use(user, (state) => state);
  const known = fateOf(sent, fates, undefined);
  const { traceId } = sent;
  const { data: receipt } = useQuery({
    queryKey: ['actionStatus', traceId],
    queryFn: async ({ signal }) => {
      const dueMs = sent.sentMs + sent.delayMs + RECEIPT_AFTER_MS - venueNow();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs)));
      return reader.info.actionStatus({ traceId: traceId ?? '' }, { signal });
    },
    enabled: traceId !== undefined && known.at === 'queued',
    refetchInterval: RECEIPT_AFTER_MS,
    gcTime: 0,
  });
  const fate = fateOf(sent, fates, receipt);
  const hasFailed = fate.at === 'failed';
  // What made it fail, a halt or the end of the market, is on the screen with the reason.
  useEffect(() => {
    if (hasFailed) void queryClient.invalidateQueries({ queryKey: ['outcomeEvent'] });
  }, [hasFailed]);
  const { text, title } = told(fate, sent, market, t);
  return (
    <div
      role="status"
      className="flex min-h-14 items-center gap-3 rounded border border-line px-3 py-2"
    >
      {isOver(fate) || fate.at === 'book' ? (
        <Mark fate={fate} />
      ) : (
        <Ring sentMs={sent.sentMs} delayMs={sent.delayMs} />
      )}
      <div className="min-w-0 break-words">
        <p className="text-13">{title}</p>
        <p className="text-12 text-muted">{text}</p>
        {(fate.at === 'failed' || fate.at === 'ended') && (
          <p className="truncate text-12 text-muted">{sent.words}</p>
        )}
      </div>
    </div>
  );
}

function told(
  fate: Fate,
  { delayMs, isAskedFor, words }: SentOrder,
  market: OutcomeMarketMeta,
  t: Words,
): { title: string; text: string } {
  switch (fate.at) {
    case 'sent':
      return {
        title: t(isAskedFor === true ? 'outcomes.fate.askedFor' : 'outcomes.fate.sent'),
        text: words,
      };
    case 'queued':
      return {
        title: t('outcomes.fate.queued', { wait: waitOf(delayMs) }),
        text: t('outcomes.fate.queuedText'),
      };
    case 'book':
      return {
        title: t('outcomes.fate.book'),
        text: isZero(fate.filled)
          ? t('outcomes.fate.restsText', { order: words })
          : t('outcomes.fate.bookText', { filled: number(fate.filled) }),
      };
    case 'filled':
      return {
        title: t('outcomes.fate.filled'),
        text: t('outcomes.fate.filledText', {
          filled: number(fate.filled),
          // An average is between two prices.
          price: cents(fate.average, priceDecimals(market) + 1),
        }),
      };
    case 'ended':
      return {
        title: t(isZero(fate.filled) ? 'outcomes.fate.endedEmpty' : 'outcomes.fate.ended', {
          filled: number(fate.filled),
        }),
        text: endReason(fate.reason, t),
      };
    case 'failed':
      return {
        title: t('outcomes.fate.failed'),
        // The venue calls a market by its number.
        text: explainRefusal(fate, t).sentence.replace(
          /\bOUTCOME-\d+\b/,
          `“${market.group_title ?? market.question}”`,
        ),
      };
  }
}

/** `250 ms`, `3 s`. */
function waitOf(delayMs: number): string {
  return delayMs < 1_000 ? `${delayMs} ms` : `${number(String(delayMs / 1_000))} s`;
}

function isZero(amount: string): boolean {
  return !isDecimal(amount) || sign(amount) === 0;
}

const END_REASONS = [
  'userCanceled',
  'expired',
  'selfTrade',
  'reduceOnly',
  'matchLimit',
  'outcomeResolved',
  'scheduledCancel',
  'amendedBelowFilled',
] as const;

/** Why the rest of an order is gone; a reason that this page does not know is told as it came. */
function endReason(reason: string | undefined, t: Words): string {
  const known = END_REASONS.find((each) => each === reason);
  return known === undefined ? (reason ?? '') : t(`outcomes.endReason.${known}`);
}

function Mark({ fate }: { readonly fate: Fate }) {
  return (
    <span
      aria-hidden="true"
      className={classes(
        'flex size-6 shrink-0 items-center justify-center text-15',
        fate.at === 'failed' ? 'text-warning' : 'text-accent',
      )}
    >
      {fate.at === 'failed' ? '!' : fate.at === 'book' ? '≡' : fate.at === 'filled' ? '✓' : '·'}
    </span>
  );
}

const RADIUS = 9;
const LENGTH = 2 * Math.PI * RADIUS;

/** Runs while an order that would take waits, so that makers may move first. */
function Ring({ sentMs, delayMs }: { readonly sentMs: number; readonly delayMs: number }) {
  const arc = useRef<SVGCircleElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = (): void => {
      const share = delayMs === 0 ? 1 : Math.min(1, (venueNow() - sentMs) / delayMs);
      arc.current?.setAttribute('stroke-dashoffset', String(LENGTH * (1 - share)));
      if (share < 1) frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [sentMs, delayMs]);
  return (
    <svg viewBox="0 0 24 24" className="size-6 shrink-0 -rotate-90" aria-hidden="true">
      <circle cx="12" cy="12" r={RADIUS} fill="none" strokeWidth="3" className="stroke-line" />
      <circle
        ref={arc}
        cx="12"
        cy="12"
        r={RADIUS}
        fill="none"
        strokeWidth="3"
        strokeDasharray={LENGTH}
        className="stroke-warning"
      />
    </svg>
  );
}
