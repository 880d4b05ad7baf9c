import { freePorts } from '@oddlot/testing/host';
import type { Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { DEPLOYER } from '../support/deployer.ts';
import type { Venue } from '../support/venue-process.ts';
import { startLoad, type Load } from './support/load.ts';
import { quoteMarket } from './support/market-maker.ts';
import { OutcomePeople, type Listed } from './support/outcome-people.ts';
import { sideActionsOf } from './support/side-actions.ts';
import { ACTS, tab, type AccountBook } from './support/traders-hour.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/**
 * Performs a trader's random actions on the terminal, with shares in an outcome market and with
 * transfers, and compares the page with /info after each action. Other traders are active only in
 * the second half. The venue is killed in the middle of each half. No row may be missing or
 * duplicated, and no figure may be wrong for longer than an update takes.
 */

const MINUTES = Number(process.env['TRADERS_MINUTES'] ?? 10);
const HALF_MS = (MINUTES * 60_000) / 2;
const SEED = freshSeed('TRADERS_SEED');
/** An action must have succeeded at least once after this many attempts. */
const TRIES_MIN = 3;
/** An update takes time on a busy machine, whereas a real error persists. */
const SETTLES = { timeout: 60_000, interval: 250 };

let venue: Venue;
let browser: WebBrowser;
let load: Load | undefined;
let market: Listed;
let friend: string;

beforeAll(async () => {
  const port = String(await freePorts(1));
  const flags = ['--oracle', 'still', '--no-bots', '--no-limits', '--web', '--port', port];
  const deploys = ['--deployers', DEPLOYER];
  [venue, browser] = await Promise.all([startWebVenue([...flags, ...deploys]), workerBrowser()]);
  const people = new OutcomePeople(venue.url);
  market = await people.market();
  for (let maker = 0; maker < 4; maker += 1) await people.quote(market, '900');
  friend = await people.holder(market, '5');
  for (let maker = 0; maker < 8; maker += 1) {
    await quoteMarket(venue.url, {
      market: 'BTC-USDC',
      bids: ['96990'],
      asks: ['97010'],
      size: '0.08',
    });
  }
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await load?.stop();
  await venue?.remove();
});

test(
  `the page equals the venue after every action of a trader, TRADERS_SEED=${SEED}`,
  async () => {
    const random = seededRandom(SEED);
    const visit = await browser.visit(venue.url, {
      expectedErrors: /ERR_|WebSocket|Failed to load|Failed to fetch/,
    });
    const { page } = visit;
    const { address: user, owner } = await visit.openWithAccount('/trade/BTC-USDC');
    await page.getByText(/^Max \d/).waitFor();
    const acts = [...ACTS, ...sideActionsOf({ owner, user, market, friend })];
    const counts: Record<string, number> = {};
    for (const isLoaded of [false, true]) {
      if (isLoaded) load = await startLoad(venue.url);
      const untilMs = Date.now() + HALF_MS;
      let isKilled = false;
      while (Date.now() < untilMs) {
        if (!isKilled && Date.now() > untilMs - HALF_MS / 2) {
          isKilled = true;
          await load?.stop();
          await killAndReturn(page);
          if (isLoaded) load = await startLoad(venue.url);
          await settles(page, owner, user, 'a kill of the venue');
        }
        const book = await bookOf(owner, user);
        const act = random.pick(acts.filter(({ isPossible }) => isPossible(book)));
        counts[act.name] = (counts[act.name] ?? 0) + 1;
        await act.run(page, random, book).catch((error: unknown) => {
          // A row that has disappeared cannot be pressed, but the page is compared anyway.
          if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
          const name = `${act.name}, gone`;
          counts[name] = (counts[name] ?? 0) + 1;
          return page.keyboard.press('Escape');
        });
        await settles(page, owner, user, act.name);
      }
      await load?.stop();
    }
    process.stdout.write(`${JSON.stringify(counts)}\n`);
    // A single failure may be due to a row that disappeared, but an action that never succeeds is
    // an error.
    const failing = acts.filter(({ name }) => {
      const [tried, vanished] = [counts[name] ?? 0, counts[`${name}, gone`] ?? 0];
      return tried >= TRIES_MIN && tried === vanished;
    });
    expect(failing.map(({ name }) => name)).toEqual([]);
  },
  MINUTES * 60_000 + 600_000,
);

async function killAndReturn(page: Page): Promise<void> {
  await venue.kill();
  await page.getByText(/^Connection lost/).waitFor();
  await venue.startAgain();
  await page.getByText(/^Connection lost/).waitFor({ state: 'detached', timeout: 120_000 });
}

async function bookOf({ info }: Client, user: string): Promise<AccountBook> {
  const [orders, triggers, state, outcome, shares] = await Promise.all([
    info.frontendOpenOrders({ user }),
    info.triggerOrders({ user }),
    info.clearinghouseState({ user }),
    info.clearinghouseState({ user, accountType: 'outcome' }),
    info.outcomePositions({ user, instrumentIds: [market.id] }),
  ]);
  const sizes = shares.map(({ position }) => Number(position.szi));
  return {
    orders: orders.filter(({ isTrigger }) => !isTrigger).length,
    triggers: triggers.length,
    positions: state.assetPositions.length,
    isLong: state.assetPositions[0]?.position.szi.startsWith('-') === false,
    yes: sizes.find((size) => size > 0) ?? 0,
    no: -(sizes.find((size) => size < 0) ?? 0),
    freePerp: Number(state.withdrawable),
    freeOutcome: Number(outcome.withdrawable),
  };
}

/**
 * Reads the page and the venue until they agree. The page may lag briefly, but a persistent
 * difference is an error.
 */
async function settles(page: Page, owner: Client, user: string, after: string): Promise<void> {
  await expect
    .poll(() => differences(page, owner, user), { ...SETTLES, message: after })
    .toEqual([]);
}

async function differences(page: Page, { info }: Client, user: string): Promise<string[]> {
  const found: string[] = [];
  const [orders, triggers, state, fills] = await Promise.all([
    info.frontendOpenOrders({ user }),
    info.triggerOrders({ user }),
    info.clearinghouseState({ user }),
    info.userFills({ user, limit: 200 }),
  ]);
  const resting = orders.filter(({ isTrigger }) => !isTrigger);
  found.push(
    ...(await rowsDiffer(
      page,
      'Open orders',
      resting.map(({ limitPx, origSz }) => [limitPx, origSz]),
    )),
    ...(await rowsDiffer(
      page,
      'Conditional orders',
      triggers.map(({ sz, triggerPx }) => [triggerPx, sz]),
    )),
    ...(await rowsDiffer(
      page,
      'Trade history',
      fills.map(({ px, sz }) => [px, sz]),
    )),
    ...(await rowsDiffer(
      page,
      'Positions',
      state.assetPositions.map(({ position: { entryPx, szi } }) => [
        Number(entryPx).toFixed(1),
        szi.replace('-', ''),
      ]),
    )),
  );
  const shown = /Equity\s+([\d,.]+)/.exec(await page.getByRole('banner').innerText())?.[1];
  const parts = await Promise.all(
    (['perp', 'outcome'] as const).map((accountType) =>
      info.clearinghouseState({ user, accountType }),
    ),
  );
  const accountValue = parts.reduce(
    (sum, part) => sum + Number(part.marginSummary.accountValue),
    0,
  );
  // The tolerance is one cent plus one step of a moving mark.
  const isNear = Math.abs(Number(shown?.replaceAll(',', '')) - accountValue) < 0.02;
  if (!isNear) found.push(`equity ${shown}, the venue says ${accountValue}`);
  return found;
}

/** Compares the number of rows with the venue's, and requires a row with each item's figures. */
async function rowsDiffer(
  page: Page,
  name: string,
  wanted: readonly (readonly string[])[],
): Promise<string[]> {
  await tab(page, name);
  const panel = page.getByRole('tabpanel', { name: new RegExp(`^${name}`) });
  const { count, rows } = await panel.evaluate((it) => ({
    count: Number(it.querySelector('table')?.getAttribute('aria-rowcount') ?? 1) - 1,
    rows: [...it.querySelectorAll('tbody tr:not([aria-hidden])')].map((row) =>
      [...row.children].map((cell) => (cell as HTMLElement).innerText).join(' | '),
    ),
  }));
  if (count !== wanted.length) return [`${name}: ${count} rows, the venue has ${wanted.length}`];
  // A long list draws only its visible rows.
  if (rows.length < wanted.length) return [];
  const left = rows.map((row) => ({ row, figures: figuresIn(row) }));
  const missing: string[] = [];
  for (const figures of wanted) {
    const at = left.findIndex((each) =>
      figures.every((figure) => each.figures.has(Number(figure))),
    );
    if (at === -1) missing.push(`${name}: no row with ${figures.join(' and ')}`);
    else left.splice(at, 1);
  }
  return [...missing, ...(missing.length === 0 ? [] : left.map(({ row }) => `${name}: ${row}`))];
}

function figuresIn(text: string): ReadonlySet<number> {
  const found = text.replaceAll(',', '').match(/\d+(?:\.\d+)?/g) ?? [];
  return new Set(found.map(Number));
}
