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

/** By the words of titles and questions: among what is open, else among all that ever was. */
async function findByText(wanted: string): Promise<string | undefined> {
  for (const status of ['open', 'all'] as const) {
    let cursor: string | undefined;
    // A page may be empty though a later one is not.
    for (let page = 0; page < PAGES_MAX; page++) {
      const asked = { search: wanted, status, limit: 1, ...(cursor !== undefined && { cursor }) };
      const { events, next_cursor: next } = await reader.info.outcomeMeta(asked);
      const [found] = events;
      if (found !== undefined) return `/events/${found.slug}`;
      if (next === null) break;
      cursor = next;
    }
  }
  return undefined;
}

/** More is not worth the wait: whoever knows the name has found it by then. */
const PAGES_MAX = 20;

/** Among all that ever were, by what stands in their addresses. */
async function findBySlug(wanted: string): Promise<string | undefined> {
  if (!/^[a-z0-9-]{1,120}$/.test(wanted)) return undefined;
  const { events } = await reader.info.outcomeMeta({ marketSlugs: [wanted], limit: 1 });
  const event =
    events[0] ?? (await reader.info.outcomeEvent({ eventSlug: wanted }).catch(() => undefined));
  return event === undefined ? undefined : `/events/${event.slug}`;
}
