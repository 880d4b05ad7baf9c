import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { startAt } from '../../fixtures/people.ts';
import { DEPLOYER } from '../../support/deployer.ts';
import type { Venue } from '../../support/venue-process.ts';
import { buildPageOnce } from './build-once.ts';
import { quoteMarket } from './market-maker.ts';
import { endWithRun, runFolder } from './run-folder.ts';
import { pageReady, WITH_PAGE } from './web-venue.ts';

/**
 * Returns one venue for all of a worker's files. The tests in these files leave only accounts
 * behind. Each test has its own account, and its own markets if it moves prices or halts trading.
 * BTC has a book around its oracle price of 97,000, and an earlier trade provides a candle over
 * which lines can be drawn.
 */
export async function workerVenue(): Promise<Venue> {
  started ??= start();
  return started;
}

const FLAGS = [...WITH_PAGE, '--no-bots', '--admins', DEPLOYER, '--deployers', DEPLOYER];
/** Several makers quote, because many tests trade with the books and each maker's size is small. */
const MAKERS = 5;

let started: Promise<Venue> | undefined;

async function start(): Promise<Venue> {
  await buildPageOnce();
  const data = await mkdtemp(join(runFolder(), 'venue-'));
  // npm starts a venue with this variable, which makes the venue exit together with its parent. A
  // worker may be ended by a signal that its tests do not receive.
  const venue = await startAt(data, { npm_lifecycle_event: 'start' }, FLAGS);
  await endWithRun(venue.pid);
  await pageReady(venue.url);
  const market = 'BTC-USDC';
  const [bids, asks] = [['96990'], ['97010']];
  for (let count = 0; count < MAKERS; count++) {
    await quoteMarket(venue.url, { market, bids, asks, size: '0.04' });
  }
  await quoteMarket(venue.url, { market, bids: ['97010'], asks: ['96990'], size: '0.001' });
  return venue;
}
