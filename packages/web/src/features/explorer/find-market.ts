import { queryClient } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';

/** The address of the market that somebody means by a name; undefined when there is none. */
export async function findMarket(typed: string): Promise<string | undefined> {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return undefined;
  return (await findPerp(wanted)) ?? (await findByText(wanted)) ?? findBySlug(wanted);
}

async function findPerp(wanted: string): Promise<string | undefined> {
  const { universe } = await queryClient.fetchQuery({
    queryKey: ['perpMeta'],
    queryFn: () => reader.info.perpMeta(),
  });
  const named = universe.map(({ name }) => name);
  const found =
    named.find((name) => name.toLowerCase() === wanted) ??
    named.find((name) => name.toLowerCase().split('-')[0] === wanted);
  return found === undefined ? undefined : `/trade/${found}`;
}

const LOOKED_AT_MAX = 50;

/** Among the busiest events that are open, by their titles and questions. */
async function findByText(wanted: string): Promise<string | undefined> {
  const { events } = await reader.info.outcomeMeta({ status: 'open', limit: LOOKED_AT_MAX });
  const found = events.find(({ markets, title }) =>
    [title, ...markets.map(({ question }) => question)].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
  return found === undefined ? undefined : `/events/${found.slug}`;
}

/** Among all that ever were, by what stands in their addresses. */
async function findBySlug(wanted: string): Promise<string | undefined> {
  if (!/^[a-z0-9-]{1,120}$/.test(wanted)) return undefined;
  const { events } = await reader.info.outcomeMeta({ marketSlugs: [wanted], limit: 1 });
  const event =
    events[0] ?? (await reader.info.outcomeEvent({ eventSlug: wanted }).catch(() => undefined));
  return event === undefined ? undefined : `/events/${event.slug}`;
}
