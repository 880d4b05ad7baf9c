import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitOrder } from '@oddlot/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEPLOYER } from '../support/deployer.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { REPOSITORY, type Venue } from '../support/venue-process.ts';
import { expectReadable } from './support/expect-readable.ts';
import { OutcomePeople } from './support/outcome-people.ts';
import { ownerOf, perpNear, tradeBetween, trader } from './support/trading.ts';
import { DESKTOP, PHONE, type Visit } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/**
 * Opens every screen with content, in both themes, on a desktop and on a phone: axe must find no
 * violations, and no content may be wider than the screen. One account visits all screens. Each run
 * tests one random combination of theme and size per screen; `npm run test:long` tests them all.
 */

const LOOKS = [
  { theme: 'dark', size: DESKTOP, faults: 'all' },
  // In the other theme, the same screen differs only in its colours.
  { theme: 'light', size: DESKTOP, faults: 'of colours' },
  { theme: 'light', size: PHONE, faults: 'all' },
] as const;
const LONG_MS = 120_000;
const SEED = freshSeed('LOOKS_SEED');
const random = seededRandom(SEED);

/**
 * The address of each screen in the router, and a text that is visible once the screen has loaded.
 */
const SHOWN: Readonly<Record<string, readonly (readonly [address: string, text: string])[]>> = {
  '/': [['/', 'Will the tide turn?']],
  '/activity': [
    ['/activity', 'BTC-USDC'],
    ['/activity?of=events', 'No trades'],
  ],
  '/leaderboard': [['/leaderboard?by=volume&window=all', 'Ranking']],
  '/trade/$market': [
    ['/trade/BTC-USDC', 'No open orders|Reverse'],
    ['/trade/BTC-USDC?tab=fills', 'Fee'],
  ],
  '/events': [['/events', 'Will the tide turn?']],
  '/events/$slug': [['/events/{event}', 'Will the tide turn?']],
  '/series/$slug': [['/series/{series}', 'series|Series|BTC']],
  '/portfolio': [
    ['/portfolio', 'BTC-USDC'],
    ['/portfolio?tab=ledger', '1,000'],
  ],
  '/account': [
    ['/account', 'Faucet|faucet|Test funds'],
    ['/account?tab=keys', 'gent'],
  ],
  '/builder': [['/builder', 'laim|uilder']],
  '/explorer': [['/explorer', 'lock']],
  '/explorer/block/$height': [['/explorer/block/1', 'lock']],
  '/explorer/tx/$hash': [['/explorer/tx/{hash}', 'rder']],
  '/explorer/address/$address': [['/explorer/address/{user}', 'BTC-USDC']],
  '/operate': [['/operate', 'BTC-USDC|nsurance']],
};

let venue: Venue;
let browser: WebBrowser;
let visit: Visit;
let known: Readonly<Record<string, string>>;

beforeAll(async () => {
  const operated = ['--admins', DEPLOYER, '--deployers', DEPLOYER];
  const flags = ['--oracle', 'still', '--no-limits', '--no-bots', '--web', ...operated];
  [venue, browser] = await Promise.all([startWebVenue(flags), workerBrowser()]);
  visit = await browser.visit(venue.url);
  known = await livedIn();
});
afterAll(async () => {
  // `leaveAll` throws the errors of all screens together.
  await browser?.leaveAll();
  await venue?.remove();
});

test('the accessibility tests cover every screen in the router', () => {
  const list = readFileSync(join(REPOSITORY, 'packages/web/src/app/screens.ts'), 'utf8');
  const paths = [...list.matchAll(/path: '([^']+)'/g)].map(([, path]) => path!);
  expect(Object.keys(SHOWN).sort()).toEqual(paths.sort());
});

test.each(Object.entries(SHOWN))(
  `the screen %s is accessible, LOOKS_SEED=${SEED}`,
  async (_path, places) => {
    const { page } = visit;
    for (const [address, text] of places) {
      const here = address.replace(/\{(\w+)\}/, (_whole, name: string) => known[name]!);
      await page.setViewportSize({ ...DESKTOP });
      await visit.open(here);
      await page.locator('main').getByText(new RegExp(text)).first().waitFor();
      for (const look of sampledCases(LOOKS, 1, random)) await expectReadable(page, here, look);
    }
  },
  LONG_MS,
);

/**
 * Creates an account with a position, an order, a fill, shares and history, and returns the names
 * of these items.
 */
async function livedIn(): Promise<Readonly<Record<string, string>>> {
  const { page } = visit;
  await visit.open('/');
  await page.getByRole('button', { name: 'Trade with a test account' }).click();
  await page.getByText('Your test account is ready').waitFor();
  await page.getByRole('button', { name: /^0x/ }).click();
  await page.getByRole('menuitem', { name: 'Copy address' }).click();
  const user = await page.evaluate(() => navigator.clipboard.readText());
  const owner = await ownerOf(page, venue.url, user);
  const maker = await trader(venue.url, 'maker of screens');
  const perp = await perpNear(maker, 'BTC-USDC');
  await tradeBetween(maker, owner, { ...perp, size: '0.01' });
  const price = String(Number(perp.price) - 100);
  const resting = limitOrder({ asset: perp.asset, side: 'buy', price, size: '0.01' });
  const reply = await owner.exchange.order({ orders: [resting] }, { confirm: 'executed' });

  const people = new OutcomePeople(venue.url);
  const title = 'Will the tide turn?';
  const event = await people.event({ title, category: 'sea', mutuallyExclusive: true });
  for (const groupTitle of ['Heron', 'Gannet', 'Cormorant']) {
    await people.quote(await people.market({ groupTitle, question: `${groupTitle}?` }, event));
  }
  const series = await people.series();
  return { user, event, series, hash: reply.txHash };
}
