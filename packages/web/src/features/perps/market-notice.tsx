import { Link } from '@tanstack/react-router';
import { countdown, dateTime } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { useTradedPerp } from './traded-perp.ts';
import { useMarketState } from './use-market-state.ts';

/** What is unusual about the market, and what that means for who trades it. */
export function MarketNotice() {
  const t = useWords();
  const { perp } = useTradedPerp();
  const { isClosed } = useMarketState();
  const text = useNotice();
  if (text === undefined) return null;
  return (
    <p
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-x-3 border-b border-line bg-warning/8 px-3 py-1.5 text-12 text-warning"
    >
      {text}
      {perp.delisted && perp.closingTime !== null && !isClosed && (
        <Left untilMs={perp.closingTime} />
      )}
      <Link to="/" className="text-accent hover:underline">
        {t('perps.notice.others')}
      </Link>
    </p>
  );
}

function useNotice(): string | undefined {
  const t = useWords();
  const { perp } = useTradedPerp();
  const { isClosed, isGateClosed, isStale } = useMarketState();
  const { closingTime, delisted, haltTrading } = perp;
  if (delisted && closingTime === null) return t('perps.notice.delisted');
  if (delisted && closingTime !== null) {
    return isClosed
      ? t('perps.notice.closed', { time: dateTime(closingTime) })
      : t('perps.notice.closing', { time: dateTime(closingTime) });
  }
  if (haltTrading) return t('perps.notice.halted');
  if (isGateClosed) return t('perps.notice.gated');
  return isStale ? t('perps.notice.stale') : undefined;
}

function Left({ untilMs }: { readonly untilMs: number }) {
  return (
    <span className="font-semibold tabular-nums">{countdown(untilMs - useVenueSecond())}</span>
  );
}
