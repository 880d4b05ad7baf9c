import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countdown, dateTime } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/cells.tsx';
import { usePerps } from '../../market/queries.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { useTradedPerp } from './use-account.ts';

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

const EVERY_MS = 3_000;
const PERPS = 0;

type MarketState = Readonly<{ isStale: boolean; isGateClosed: boolean; isClosed: boolean }>;

export function useMarketState(): MarketState {
  const { closingTime, delisted, name } = useTradedPerp().perp;
  usePerps(EVERY_MS);
  const { data } = useQuery({
    queryKey: ['venueStatus'],
    queryFn: ({ signal }) => reader.info.venueStatus({}, { signal }),
    refetchInterval: EVERY_MS,
  });
  const oracle = data?.oracles.find(({ coin }) => coin === name);
  return {
    isStale: oracle?.trading === true && oracle.stale,
    isGateClosed: data?.gates.find(({ channel }) => channel === PERPS)?.mode === 'closed',
    isClosed: delisted && closingTime !== null && closingTime <= venueNow(),
  };
}
