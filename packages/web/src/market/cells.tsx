import type { OutcomeEventMeta, OutcomeMarketMeta, PerpMeta } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { decimalsOf } from '../lib/decimal.ts';
import { dateTime, number, timeOrDay, wholeDate } from '../lib/format.ts';
import { language } from '../lib/words.ts';
import type { Column } from '../ui/table.tsx';
import { shownEvents, usePerp } from './queries.ts';
import { reader, venueNow } from './venue.ts';

export function OnGrid({ coin, value }: { readonly coin: string; readonly value: string }) {
  const perp = usePerp(coin);
  const decimals = perp && priceDecimals(perp);
  return <span>{number(value, { decimals })}</span>;
}

type SizeOnGridProps = Readonly<{ coin: string; value: string; isSigned?: boolean }>;

export function SizeOnGrid({ coin, value, isSigned = false }: SizeOnGridProps) {
  const perp = usePerp(coin);
  const decimals = perp && sizeDecimals(perp);
  return <span>{number(value, { decimals, isSigned })}</span>;
}

export function priceDecimals(
  market: Pick<PerpMeta, 'priceTick'> | Pick<OutcomeMarketMeta, 'price_decimals'>,
): number {
  return 'priceTick' in market ? decimalsOf(market.priceTick) : market.price_decimals;
}

/**
 * Returns the number of decimals in a market's sizes. Lots of ten or more have a negative
 * `szDecimals`, and their sizes are integers.
 */
export function sizeDecimals(
  market: Pick<PerpMeta, 'szDecimals'> | Pick<OutcomeMarketMeta, 'size_decimals'>,
): number {
  return Math.max(0, 'szDecimals' in market ? market.szDecimals : market.size_decimals);
}

type TimeProps = {
  readonly ms: number;
  readonly short?: 'always' | 'onPhones' | 'never' | undefined;
  readonly write?: ((ms: number) => string) | undefined;
};

type TimeColumnOptions<Row> = Partial<Column<Row>> &
  Pick<TimeProps, 'short' | 'write'> & { readonly isSortable?: boolean | undefined };

export function timeColumn<Row>(
  header: string,
  of: (row: Row) => number,
  { isSortable = true, short, write, ...rest }: TimeColumnOptions<Row> = {},
): Column<Row> {
  return {
    id: 'time',
    header,
    width: '124px',
    compare: isSortable ? (left, right) => of(left) - of(right) : undefined,
    cell: (row) => <Time ms={of(row)} short={short} write={write} />,
    ...rest,
  };
}

export function Time({ ms, short = 'onPhones', write = dateTime }: TimeProps) {
  return (
    <time className="text-muted" dateTime={new Date(ms).toISOString()} title={wholeDate(ms)}>
      {short === 'never' && write(ms)}
      {short === 'always' && timeOrDay(ms, venueNow())}
      {short === 'onPhones' && (
        <>
          <span className="max-tablet:hidden">{write(ms)}</span>
          <span className="tablet:hidden">{timeOrDay(ms, venueNow())}</span>
        </>
      )}
    </time>
  );
}

const TICK_MS = 1_000;

/**
 * Returns a value that is updated every second. The component renders again only if the result of
 * `read` changes.
 */
export function useVenueSecond(read: (nowMs: number) => number = itself): number {
  const [shown, setShown] = useState(() => read(venueNow()));
  useEffect(() => {
    const timer = setInterval(() => setShown(read(venueNow())), TICK_MS);
    return () => clearInterval(timer);
  }, [read]);
  return shown;
}

function itself(nowMs: number): number {
  return nowMs;
}

/** The name of a market, and the names of its outcomes, YES first. */
export type MarketName = { readonly name: string; readonly outcomes: readonly [string, string] };

export type MarketNames = ReadonlyMap<number, MarketName>;

const ASKED_MAX = 50;
const KNOWN_MAX = 5_000;
const known = new Map<number, MarketName>();
/** The language of the known names, because the names of demo events are translated. */
let knownIn = language();
const NONE: MarketNames = new Map();

/**
 * Returns the names of markets. Each name is requested only once, because names never change.
 * Unknown markets are absent from the result.
 */
export async function marketNames(instrumentIds: Iterable<number>): Promise<MarketNames> {
  if (knownIn !== language()) known.clear();
  knownIn = language();
  const wanted = [...new Set(instrumentIds)];
  const missing = wanted.filter((id) => !known.has(id));
  if (known.size + missing.length > KNOWN_MAX) known.clear();
  for (let from = 0; from < missing.length; from += ASKED_MAX) {
    const asked = missing.slice(from, from + ASKED_MAX);
    const query = { instrumentIds: asked, limit: ASKED_MAX };
    const { events } = await shownEvents(await reader.info.outcomeMeta(query));
    for (const [id, name] of events.flatMap(namesOf)) known.set(id, name);
  }
  return new Map(wanted.flatMap((id) => (known.has(id) ? [[id, known.get(id)!] as const] : [])));
}

export function useMarketNames(instrumentIds: readonly number[]): MarketNames {
  const ids = [...new Set(instrumentIds)].toSorted((a, b) => a - b);
  const { data } = useQuery({
    queryKey: ['marketNames', ids],
    queryFn: () => marketNames(ids),
    enabled: ids.length > 0,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  return data ?? NONE;
}

function namesOf({
  markets,
  series_slug: series,
  title,
}: OutcomeEventMeta): (readonly [number, MarketName])[] {
  return markets.map(({ group_title: group, instrument_id: id, outcomes, question }) => {
    const own = series === null ? question : title;
    return [id, { name: group ? `${title}: ${group}` : own, outcomes }] as const;
  });
}
