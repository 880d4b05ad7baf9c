import { Venue } from '../../support/venue-process.ts';
import { buildPageOnce } from './build-once.ts';

/** Flags for a venue that serves its page, with constant prices and no limits. */
export const WITH_PAGE = ['--oracle', 'still', '--no-limits', '--web'];

export async function startWebVenue(flags: readonly string[] = WITH_PAGE): Promise<Venue> {
  await buildPageOnce();
  const venue = await Venue.start(flags);
  await pageReady(venue.url);
  return venue;
}

/**
 * The time allowed for a venue to start. It checks its sources at low priority, which takes a while
 * on a busy machine.
 */
const READY_MS_MAX = 60_000;

/**
 * Waits until the venue has read the page, which it does after it has started to serve requests.
 */
export async function pageReady(url: string): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX;
  while (Date.now() < deadline) {
    const reply = await fetch(url, { headers: { accept: 'text/html' } });
    await reply.text();
    if (reply.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The page was not ready in time');
}
