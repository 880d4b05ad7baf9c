import { createClient, privateKeyWallet, type Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { addressOf, keyOf } from '../../tests/support/wallet.ts';
import { startWebVenue } from '../../tests/web/support/web-venue.ts';
import { atMost, noted, show } from '../report.ts';
import type { Measured, PageScale } from './page-report.ts';
import { heldBy, openTestAccount, startBrowser, visit, wait, type Held } from './visitor.ts';

/** One market visited against twenty: what of a market is left when nobody looks at it any more. */

const MARKETS: Readonly<Record<PageScale, number>> = { full: 20, quick: 20 };
/** A market that nobody shows stays subscribed for a moment; then it must be gone. */
const LINGER_MS = 5_000;
const GROWTH_MAX = 1.1;
const ORACLE_EVERY_MS = 5_000;
const BOOK_OF_BOTS_MS = 25_000;

export async function manyMarkets(scale: PageScale): Promise<Measured> {
  const key = keyOf('measuring admin');
  const flags = ['--oracle', 'simulated', '--no-limits', '--web', '--admins', addressOf(key)];
  const venue = await startWebVenue(flags);
  const admin = createClient({ url: venue.url, wallet: privateKeyWallet(key) });
  const browser = await startBrowser();
  const names = await list(admin, MARKETS[scale]);
  const feeding = setInterval(() => void feed(admin).catch(() => undefined), ORACLE_EVERY_MS);
  try {
    await feed(admin);
    await wait(BOOK_OF_BOTS_MS);
    const visitor = await visit(browser);
    const { page } = visitor;
    const streams = watchStreams(page);
    await page.goto(`${venue.url}/trade/${names[0]}`);
    await openTestAccount(page);
    const stay = async (name: string): Promise<void> => {
      await goTo(page, name);
      await page.getByRole('slider', { name: 'Bids' }).waitFor();
      await page.locator('main canvas').nth(3).waitFor();
      await wait(1_500);
    };
    // There and back once, so that all code is loaded and compiled before the first look.
    await stay(names[1]!);
    await stay(names[0]!);
    await wait(LINGER_MS);
    const one = await heldBy(visitor);
    const streamsOfOne = streams.size;
    for (const name of names.slice(1)) await stay(name);
    await stay(names[0]!);
    await wait(LINGER_MS);
    const many = await heldBy(visitor);
    const details = { one, many, streams: [streamsOfOne, streams.size], left: [...streams] };
    return { rows: rowsOf(names.length, one, many, [streamsOfOne, streams.size]), details };
  } finally {
    clearInterval(feeding);
    await browser.close();
    await venue.remove();
  }
}

function rowsOf(count: number, one: Held, many: Held, [before, after]: readonly [number, number]) {
  const ratio = (name: keyof Held, unit: string, scaled = 1) =>
    atMost(
      `markets visited: ${name === 'heapBytes' ? 'heap' : name}, ${count} against 1`,
      `${show(one[name] / scaled)} → ${show(many[name] / scaled)}${unit}`,
      many[name] / one[name],
      GROWTH_MAX,
    );
  return [
    ratio('heapBytes', ' MB', 2 ** 20),
    ratio('nodes', ''),
    ratio('listeners', ''),
    atMost(
      'markets visited: streams more than with 1',
      `${before} → ${after}`,
      after - before,
      0,
      '',
    ),
    noted(
      'markets visited: heap a market',
      '',
      (many.heapBytes - one.heapBytes) / 1_024 / (count - 1),
      ' KB',
    ),
  ];
}

/** Goes to another market without loading the page again, as its links do. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', '/trade/${name}')`);
  await page.evaluate(`dispatchEvent(new PopStateEvent('popstate', { state: history.state }))`);
  await page
    .getByRole('button', { name: new RegExp(name) })
    .first()
    .waitFor();
}

/** What the page is subscribed to, by what it said to the venue. */
function watchStreams(page: Page): Set<string> {
  const open = new Set<string>();
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      const { method, subscription } = JSON.parse(String(payload)) as {
        readonly method: string;
        readonly subscription?: unknown;
      };
      const key = JSON.stringify(subscription);
      if (method === 'subscribe') open.add(key);
      if (method === 'unsubscribe') open.delete(key);
    });
  });
  return open;
}

/** Lists so many perps; with the first price bots begin to trade them. */
async function list(admin: Client, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `M${index + 1}`);
  for (const base of names) {
    const reply = await admin.exchange.venueAdmin.registerPerp(
      {
        name: `${base}-USDC`,
        baseCurrency: base,
        quoteCurrency: 'USDC',
        perpType: 'linear',
        szDecimals: 2,
        priceTick: '0.01',
        bookTicks: ['0.01', '0.1', '1'],
        maxLimitOrderSize: '10000',
        maxMarketOrderSize: '10000',
        takerFeeRate: '0.00045',
        makerFeeRate: '0.00015',
        onlyIsolated: false,
        impactNotional: '6000',
        marginTable: {
          tiers: [{ tier: 1, minSize: '0', maxSize: '100000', maxLeverage: 20, mmr: '0.025' }],
        },
      },
      { confirm: 'executed' },
    );
    if (reply.status !== 'executed') throw new Error(`${base} was not listed`);
  }
  return names.map((base) => `${base}-USDC`);
}

let step = 0;

/** Prices about a hundred that go up and down a little. */
async function feed(admin: Client): Promise<void> {
  step++;
  const { universe } = await admin.info.perpMeta();
  const prices = universe
    .filter(({ name }) => /^M\d+-USDC$/.test(name))
    .map(({ index }) => ({
      instrumentId: index,
      oraclePx: (100 + ((index * 7 + step) % 10) / 10).toFixed(2),
      externalPerpPx: null,
    }));
  await admin.exchange.venueAdmin.pushOracle({ time: Date.now(), prices });
}
