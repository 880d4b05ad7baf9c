import { writeFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buyNo, buyYes, createClient, privateKeyWallet, randomPrivateKey } from '@oddlot/sdk';
import type { Client } from '@oddlot/sdk';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { startAt } from '../fixtures/people.ts';
import { DEPLOYER } from '../support/deployer.ts';
import {
  removeTemporaryData,
  REPOSITORY,
  temporaryData,
  type Venue,
} from '../support/venue-process.ts';
import { buildPageOnce } from './support/build-once.ts';
import { quoteMarket } from './support/market-maker.ts';
import { OutcomePeople } from './support/outcome-people.ts';
import { perpNear, tradeBetween, trader } from './support/trading.ts';
import { WebBrowser } from './support/web-browser.ts';
import { pageReady } from './support/web-venue.ts';

/**
 * Takes the two pictures for the README: `npm run pictures:readme`. The venue is real, but its
 * clock runs faster, so that half a day of trading takes a minute. Prices come from a fixed seed.
 */

const FOLDER = join(REPOSITORY, 'docs', 'images');
const BYTES_MAX = 150_000;
/** Each picture has the best of these qualities that stays within the size limit. */
const QUALITIES = [92, 88, 84, 78, 70];
const FLAGS = ['--oracle', 'still', '--no-limits', '--no-bots', '--web', '--deployers', DEPLOYER];
const MINUTE_MS = 60_000;
const CHANCES = { Heron: 0.34, Gannet: 0.36, Cormorant: 0.2, Other: 0.1 };
const TARGETS = { Heron: 0.46, Gannet: 0.31, Cormorant: 0.17, Other: 0.06 };
const EVENT_STEPS = 32;
const PERP_STEPS = 60;

let seed = 12;
/** Returns a number between −1 and 1. The sequence has a fixed seed. */
function seededRandom(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return (seed / 2_147_483_647) * 2 - 1;
}

await mkdir(FOLDER, { recursive: true });
await buildPageOnce();
const clockFile = join(await temporaryData(), 'ahead');
writeFileSync(clockFile, '0');
let aheadMs = 0;
const venue = await startAt(await temporaryData(), clockEnvironment(`ahead:${clockFile}`), FLAGS);
const browser = await WebBrowser.start();
try {
  await pageReady(venue.url);
  const slug = await liveEvent(venue);
  await livePerp(venue);
  await takeTerminal(venue);
  await takeEvent(venue, slug);
} finally {
  await browser.close();
  await venue.remove();
  await removeTemporaryData();
}

function pass(ms: number): void {
  aheadMs += ms;
  writeFileSync(clockFile, String(aheadMs));
}

/** Simulates half a day of trades on four candidates. */
async function liveEvent({ url }: Venue): Promise<string> {
  const people = new OutcomePeople(url);
  const event = { title: 'Who wins the harbour derby?', category: 'sport' };
  const slug = await people.event({ ...event, mutuallyExclusive: true });
  const names = Object.keys(CHANCES) as (keyof typeof CHANCES)[];
  const markets = [];
  for (const name of names) {
    const question = `Does ${name} win?`;
    markets.push({ name, ...(await people.market({ groupTitle: name, question }, slug)) });
  }
  let pair: readonly Client[] = [];
  for (let step = 0; step <= EVENT_STEPS; step++) {
    if (step % 12 === 0) pair = await Promise.all([outcomePerson(url), outcomePerson(url)]);
    for (const { id, name } of markets) {
      const way = step / EVENT_STEPS;
      const wanted = CHANCES[name] * (1 - way) + TARGETS[name] * way + seededRandom() * 0.015;
      const price = Math.max(0.02, Math.round(wanted * 100) / 100);
      const [yes, no] = pair;
      const size = '5';
      const rest = { confirm: 'executed' } as const;
      const asked = buyYes({ asset: id, price: price.toFixed(2), size });
      const given = buyNo({ asset: id, price: (1 - price).toFixed(2), size });
      await whenFresh(() => yes!.exchange.order({ orders: [asked] }, rest));
      await whenFresh(() => no!.exchange.order({ orders: [given] }, rest));
    }
    pass(15 * MINUTE_MS);
  }
  for (const { id, name } of markets) {
    for (const away of [0.01, 0.02, 0.03]) {
      const maker = await outcomePerson(url);
      const size = String(40 + Math.round(seededRandom() * 30));
      const bid = Math.max(0.01, TARGETS[name] - away).toFixed(2);
      const ask = (1 - TARGETS[name] - away).toFixed(2);
      const orders = [
        buyYes({ asset: id, price: bid, size }),
        buyNo({ asset: id, price: ask, size }),
      ];
      await whenFresh(() => maker.exchange.order({ orders }, { confirm: 'executed' }));
    }
  }
  return slug;
}

async function outcomePerson(url: string): Promise<Client> {
  const wallet = privateKeyWallet(randomPrivateKey());
  const client = createClient({ url, wallet });
  await client.faucet({ user: wallet.address, accountType: 'outcome' });
  return client;
}

/** Simulates more than an hour of trades, followed by a book. */
async function livePerp({ url }: Venue): Promise<void> {
  const [one, other] = [await trader(url, 'one of two'), await trader(url, 'the other of two')];
  const perp = await perpNear(one, 'BTC-USDC');
  let price = 96_780;
  for (let step = 0; step < PERP_STEPS; step++) {
    for (let count = 0; count < 3; count++) {
      price += 2.4 + seededRandom() * 24;
      const size = (0.012 + seededRandom() * 0.008).toFixed(3);
      // Both accounts sell equally often, so that neither of them runs out of margin.
      const [seller, buyer] = (step + count) % 2 === 0 ? [one, other] : [other, one];
      const at = price.toFixed(1);
      await whenFresh(() => tradeBetween(seller, buyer, { ...perp, price: at, size }));
    }
    pass(MINUTE_MS);
  }
  for (let level = 0; level < 9; level++) {
    const away = 4 + level * 6 + seededRandom() * 3;
    const size = (0.045 + seededRandom() * 0.03).toFixed(3);
    const bids = [(price - away).toFixed(1), (price - away - 2.6).toFixed(1)];
    const asks = [(price + away).toFixed(1), (price + away + 2.2).toFixed(1)];
    await whenFresh(() => quoteMarket(url, { market: 'BTC-USDC', bids, asks, size }));
  }
}

/**
 * Retries an action until it succeeds, because the oracle and the clients need time after the clock
 * jumps.
 */
async function whenFresh(act: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    try {
      await act();
      return;
    } catch (error) {
      if (!/stale|EXPIRED/.test(String(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error('The oracle says nothing');
}

async function takeTerminal({ url }: Venue): Promise<void> {
  const visit = await browser.visit(url, { theme: 'dark' });
  const { page } = visit;
  await visit.open('/');
  await page.getByRole('button', { name: 'Trade with a test account' }).click();
  await page.getByText('Your test account is ready').waitFor();
  await visit.open('/trade/BTC-USDC');
  await page.getByRole('radio', { name: 'Market' }).click();
  await page.getByRole('textbox', { name: 'Size' }).fill('0.031');
  await page.getByRole('button', { name: 'Buy 0.031 BTC at market' }).click();
  await page
    .getByText(/Filled 0.031 at/)
    .first()
    .waitFor();
  await page.getByRole('radio', { name: 'Limit' }).click();
  await page.getByRole('button', { name: 'Bid', exact: true }).click();
  await page.getByRole('textbox', { name: 'Size' }).fill('0.014');
  await page.getByText(/(?:Rests|Resting) in the order book/).waitFor();
  await take(visit.page, 'terminal');
  await visit.leave();
}

async function takeEvent({ url }: Venue, slug: string): Promise<void> {
  const visit = await browser.visit(url, { theme: 'light' });
  const { page } = visit;
  await visit.open(`/events/${slug}`);
  await page.getByRole('button', { name: 'Trade with a test account' }).click();
  await page.getByRole('button', { name: 'Buy Yes', exact: true }).waitFor();
  await take(page, 'event');
  await visit.leave();
}

async function take(
  page: Awaited<ReturnType<WebBrowser['visit']>>['page'],
  name: string,
): Promise<void> {
  // Waits until notices have disappeared and lines have settled.
  await page.waitForTimeout(8_000);
  const path = join(FOLDER, `${name}.jpg`);
  for (const quality of QUALITIES) {
    await page.screenshot({ path, type: 'jpeg', quality });
    const { size } = await stat(path);
    process.stdout.write(`${path} at ${quality} %: ${size} bytes\n`);
    if (size <= BYTES_MAX) return;
  }
  throw new Error(`${path} is larger than ${BYTES_MAX} bytes`);
}
