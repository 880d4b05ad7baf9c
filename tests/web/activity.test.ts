import { buyYes, createClient, limitOrder, privateKeyWallet, randomPrivateKey } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { expectReadableForm } from './support/expect-readable.ts';
import { OutcomePeople, WHO_DEPLOYS, type Listed } from './support/outcome-people.ts';
import { listPerp, type OwnPerp } from './support/own-perp.ts';
import { trader } from './support/trading.ts';
import { DESKTOP, PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/**
 * Compares the public market data on the page with the venue's values, and follows the links to
 * accounts.
 */

const LONG_MS = 120_000;
const PATIENCE = { timeout: 60_000 };
const EXECUTED = { confirm: 'executed' } as const;
const MONEY = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const HOSTILE = '<img src=x onerror=alert(1)> \u202e{{t}} ';
const WHEN = '18 Nov 2026, 00:55–04:55 UTC';

let venue: Venue;
let browser: WebBrowser;
let perp: OwnPerp;
let market: Listed;
let victim: string;
let rich: string;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
  const people = new OutcomePeople(venue.url);
  // Every price moves once, after which the long position's margin is insufficient.
  perp = await listPerp(venue.url, {
    base: 'LOST',
    price: '100',
    tick: '0.01',
    szDecimals: 2,
    operator: WHO_DEPLOYS,
  });
  const run = String(process.pid);
  const [long, short] = [
    await trader(venue.url, `long ${run}`),
    await trader(venue.url, `short ${run}`),
  ];
  victim = long.wallet!.address;
  const order = { asset: perp.asset, price: '100', size: '190' };
  await short.exchange.order({ orders: [limitOrder({ ...order, side: 'sell' })] }, EXECUTED);
  await long.exchange.order({ orders: [limitOrder({ ...order, side: 'buy' })] }, EXECUTED);
  await perp.push('94');
  market = await people.market({ question: `${HOSTILE}Will it be shown? (${WHEN})` });
  rich = await people.holder(market, '40');
  await people.holder(market, '15');
  await people.quote(market, '900');
  const wallet = privateKeyWallet(randomPrivateKey());
  const buyer = createClient({ url: venue.url, wallet });
  await buyer.faucet({ user: wallet.address, accountType: 'outcome' });
  const bought = buyYes({ asset: market.id, price: '0.46', size: '900' });
  await buyer.exchange.order({ orders: [bought] }, EXECUTED);
}, LONG_MS);
afterEach(() => browser.leaveAll());

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('the largest trades are selected by kind and window, as stored in the address, and link to their accounts', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/activity');
  const trades = panel(page, 'Largest trades');
  const row = trades.getByRole('row', { name: new RegExp(perp.name) }).first();
  await row.waitFor(PATIENCE);
  expect(await row.innerText()).toMatch(/Buy\s+100\.00\s+190\.00\s+19,000/);
  await trades.getByRole('radio', { name: '7d' }).press('Enter');
  await page.waitForURL(/window=week/);
  await trades.getByRole('radio', { name: 'Events' }).press('Enter');
  await page.waitForURL(/of=events/);
  const share = trades.getByRole('row').filter({ hasText: 'Will it be shown?' }).first();
  await share.waitFor(PATIENCE);
  // The name is shown as plain text even though it includes markup.
  expect(await share.innerText()).toContain('<img src=x onerror=alert(1)>');
  expect(await share.innerText()).toMatch(/Buy Yes\s+46\.0¢\s+900\s+414/);
  // The time has its own line, so that it does not truncate the name.
  const when = share.getByText(WHEN, { exact: true });
  expect(await when.evaluate((line) => line.scrollWidth - line.clientWidth)).toBe(0);
  await expectReadableForm(page, 'activity');
  await page.reload();
  await share.waitFor(PATIENCE);
  // The random screen size may be a phone's, where the table has no accounts column.
  await page.setViewportSize({ ...DESKTOP });
  await page.goto(`${venue.url}/activity`);
  await row.getByRole('link', { name: /^0x/ }).first().press('Enter');
  await page.waitForURL(new RegExp(`/explorer/address/${victim}`));
});

test('liquidations are listed with their accounts and steps', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/activity');
  const row = panel(page, 'Liquidations, last 24h').getByRole('row', {
    name: new RegExp(`${perp.name}.*Long`),
  });
  await row.waitFor(PATIENCE);
  const [reported] = await (
    await trader(venue.url, `asks ${process.pid}`)
  ).info.liquidations({
    coin: String(perp.asset),
  });
  expect(reported).toMatchObject({ user: victim, sz: '190', side: 'A' });
  const how = { adl: 'ADL', insurance: 'insurance fund', market: 'order book', net: '' };
  expect(await row.innerText()).toContain(how[reported!.step]);
  expect(await row.getByRole('link', { name: /^0x/ }).getAttribute('href')).toBe(
    `/explorer/address/${victim}`,
  );
});

test('the leaderboard shows figures from the portfolios and stores its selection in the address', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/activity');
  await page.getByRole('link', { name: 'Leaderboard' }).press('Enter');
  await page.getByRole('heading', { name: 'Leaderboard', level: 1 }).waitFor();
  const board = panel(page, 'Ranking');
  await board.getByRole('radio', { name: 'Volume' }).press('Enter');
  await page.waitForURL(/by=volume/);
  await board.getByRole('radio', { name: '24h' }).press('Enter');
  await page.waitForURL(/window=day/);
  // No other account in this run has traded as much.
  const row = board.getByRole('row').filter({ has: page.getByTitle(victim, { exact: true }) });
  await row.waitFor(PATIENCE);
  const { info } = new OutcomePeople(venue.url).deployer;
  const { points } = await info.portfolio({ user: victim, window: 'day' });
  // The position is closed, so its figures no longer change.
  expect(points.at(-1)).toMatchObject({ volume: '19000' });
  expect(await row.innerText()).toContain('19,000');
  const lost = Math.abs(Number(points.at(-1)!.pnl)).toLocaleString('en-US', MONEY);
  expect(await row.innerText()).toContain(`\u2212${lost}`);
  const part = (Math.abs(Number(points.at(-1)!.pnl)) / 190).toFixed(3);
  expect(await row.innerText()).toContain(`\u2212${part}`);
  await expectReadableForm(page, 'leaderboard');
  await row.getByRole('link', { name: /^0x/ }).press('Enter');
  await page.waitForURL(new RegExp(`/explorer/address/${victim}`));
});

test('an account outside the leaderboard sees its own figures above it', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.openWithAccount('/leaderboard?by=volume');
  const row = panel(page, 'Ranking').getByRole('row').filter({ hasText: 'you' });
  await row.waitFor(PATIENCE);
  expect(await row.innerText()).toMatch(/^–\s+0x[^]*you\s+1,000\.00\s+0\.00\s+–\s+0$/);
  expect(await row.getAttribute('aria-selected')).toBe('true');
});

test("a perp's open interest can be selected with the keyboard and fits a phone screen", async () => {
  const visit = await browser.visit(venue.url, { viewport: PHONE });
  const { page } = visit;
  await visit.open('/activity');
  const interest = panel(page, 'Open interest');
  const chooser = interest.getByRole('button', { name: /-USDC/ });
  await chooser.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menuitemradio', { name: 'ETH-USDC' }).press('Enter');
  await page.waitForURL(/market=ETH-USDC/);
  await interest.getByRole('button', { name: 'ETH-USDC' }).waitFor();
  // A new venue has no completed hour, unless an hour has ended during this run.
  await interest
    .getByText(/The chart starts at the next full hour|worth/)
    .first()
    .waitFor(PATIENCE);
  await expectReadableForm(page, 'activity on a phone');
});

test("an outcome market's open interest can be selected next to the perps and is shown below its holders", async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  const { info } = new OutcomePeople(venue.url).deployer;
  const { events } = await info.outcomeMeta({ instrumentIds: [market.id] });
  const name = events[0]!.title;
  await visit.open(`/activity?market=${market.slug}`);
  const interest = panel(page, 'Open interest');
  await interest.getByRole('button', { name }).press('ArrowDown');
  await page.getByRole('menuitemradio', { name, checked: true }).waitFor();
  await page.keyboard.press('Escape');
  const [reported] = await info.outcomeAssetCtxs({ instrumentIds: [market.id] });
  const held = `${reported!.openInterest} pairs`;
  // In the first hour, the chart has no line. Later, its last point is the current time.
  await interest.getByText(held).first().waitFor(PATIENCE);
  await expectReadableForm(page, 'open interest of an outcome market');
  await page.goto(`${venue.url}/events/${market.eventSlug}?panel=holders`);
  await panel(page, 'Open interest').getByText(held).first().waitFor(PATIENCE);
});

test('the markets screen links to the activity screen, and all its texts are available in German', async () => {
  const visit = await browser.visit(venue.url, { locale: 'de-DE' });
  const { page } = visit;
  await visit.open('/');
  await page.getByRole('link', { name: 'Größte Trades, Liquidationen' }).press('Enter');
  await page.getByRole('heading', { name: 'Aktivität', level: 1 }).waitFor();
  const trades = panel(page, 'Größte Trades');
  await trades
    .getByRole('row', { name: new RegExp(`${perp.name}.*Kauf`) })
    .first()
    .waitFor(PATIENCE);
});

test('the holders of either outcome are listed, largest first, with links to their accounts', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open(`/events/${market.eventSlug}?panel=holders`);
  const yes = panel(page, 'Holders of Yes');
  const rows = yes.getByRole('listitem');
  await rows.first().waitFor(PATIENCE);
  const reported = await new OutcomePeople(venue.url).deployer.info.outcomeHolders({
    instrumentId: market.id,
  });
  await expect.poll(() => rows.count(), PATIENCE).toBe(reported.holders);
  expect(reported.rows[1]).toMatchObject({ user: rich, sz: '40' });
  expect(await rows.nth(1).innerText()).toMatch(/40.*\s4\.2\s?%/s);
  await panel(page, 'Holders of No').getByRole('listitem').first().waitFor();
  await expectReadableForm(page, 'holders');
  await rows.nth(1).getByRole('link').press('Enter');
  await page.waitForURL(new RegExp(`/explorer/address/${rich}`));
});
