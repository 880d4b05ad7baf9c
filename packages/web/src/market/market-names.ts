import { useQuery } from '@tanstack/react-query';
import type { OutcomeEventMeta } from '@oddlot/sdk';
import { reader } from './venue.ts';

/** What an outcome market is called where no event stands around it, and its legs, YES first. */
export type MarketName = { readonly name: string; readonly outcomes: readonly [string, string] };

export type MarketNames = ReadonlyMap<number, MarketName>;

/** As many markets as one question may name. */
const ASKED_MAX = 50;
/** More than anybody scrolls to; then they are asked for again. */
const KNOWN_MAX = 5_000;
const known = new Map<number, MarketName>();
const NONE: MarketNames = new Map();

/** Names never change, so each is asked for once. Those that the venue does not tell are missing. */
export async function marketNames(instrumentIds: Iterable<number>): Promise<MarketNames> {
  const wanted = [...new Set(instrumentIds)];
  const missing = wanted.filter((id) => !known.has(id));
  if (known.size + missing.length > KNOWN_MAX) known.clear();
  for (let from = 0; from < missing.length; from += ASKED_MAX) {
    const asked = missing.slice(from, from + ASKED_MAX);
    const { events } = await reader.info.outcomeMeta({ instrumentIds: asked, limit: ASKED_MAX });
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
