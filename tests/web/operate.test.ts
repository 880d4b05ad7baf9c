import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createReader } from '@oddlot/sdk';
import type { Venue } from '../support/venue-process.ts';
import { addressOf, keyOf } from '../support/wallet.ts';
import { faultsFound } from './support/accessibility.ts';
import { injectedWallet, type InjectedWallet } from './support/injected-wallet.ts';
import { WHO_DEPLOYS, OutcomePeople } from './support/outcome-people.ts';
import { PHONE, type VisitOptions } from './support/visit.ts';
import { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';

/** The venue operated from the page, by keys that may. */

const ADMIN_KEY = keyOf('page admin');
const FLAGS = ['--oracle', 'still', '--no-limits', '--no-bots', '--web'].concat(
  ['--admins', addressOf(ADMIN_KEY)],
  ['--deployers', addressOf(WHO_DEPLOYS)],
);

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([startWebVenue(FLAGS), WebBrowser.start()]);
}, 120_000);
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await browser?.close();
  await venue?.remove();
});

async function visiting(path: string, options: VisitOptions = {}): Promise<Page> {
  const visit = await browser.visit(venue.url, options);
  await visit.open(path);
  return visit.page;
}

/** At a screen with the account of a wallet open. */
async function operating(path: string, wallet: InjectedWallet): Promise<Page> {
  const page = await visiting(path, { wallet });
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet <b>' }).click();
  await page.getByRole('button', { name: /^0x.*wallet/ }).waitFor();
  return page;
}

async function perpNamed(name: string) {
  const reader = createReader({ url: venue.url });
  const { universe } = await reader.info.perpMeta();
  reader.close();
  return universe.find((perp) => perp.name === name);
}

test('an admin lists a perp, halts it and lets it trade again', async () => {
  const page = await operating('/operate?tab=perps', injectedWallet(ADMIN_KEY));
  await page.getByText('admin', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'List a perp' }).click();
  const dialog = page.getByRole('dialog', { name: 'List a perp' });
  await dialog.getByRole('textbox', { name: 'Base currency' }).fill('doge');
  // What does not fit together is refused by the venue, in words.
  await dialog.getByRole('textbox', { name: 'Maintenance, a fraction' }).fill('0.2');
  await dialog.getByRole('button', { name: 'List DOGE-USDC' }).click();
  await dialog.getByText(/Invalid margin table/).waitFor();
  await dialog.getByRole('textbox', { name: 'Maintenance, a fraction' }).fill('0.025');
  expect(await faultsFound(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'List DOGE-USDC' }).click();
  await dialog.waitFor({ state: 'hidden' });

  const row = page.getByRole('row').filter({ hasText: 'DOGE-USDC' });
  await row.getByText('trading').waitFor();
  await row.getByRole('button', { name: 'Halt DOGE-USDC' }).click();
  await row.getByText('halted').waitFor();
  expect(await perpNamed('DOGE-USDC')).toMatchObject({ haltTrading: true });
  await row.getByRole('button', { name: 'Resume DOGE-USDC' }).click();
  await row.getByText('trading').waitFor();
  expect(await perpNamed('DOGE-USDC')).toMatchObject({ haltTrading: false });
});

test('a deployer creates an event and resolves it with evidence; texts stay text', async () => {
  const page = await operating('/operate?tab=events', injectedWallet(WHO_DEPLOYS));
  await page.getByRole('button', { name: 'Create an event' }).click();
  const form = page.getByRole('dialog', { name: 'Create an event' });
  const question = 'Is <img src=x onerror=alert(1)> {{count}} an image?';
  await form.getByRole('textbox', { name: 'Title of the event' }).fill('<script>alert(1)</script>');
  await form.getByRole('textbox', { name: 'Question' }).fill(question);
  await form.getByLabel('Closes at (UTC)').fill('2099-01-01T00:00');
  await form.getByRole('button', { name: 'Create an event' }).click();
  await form.waitFor({ state: 'hidden' });

  const row = page.getByRole('row').filter({ hasText: question });
  await row.getByText('open', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Close' }).click();
  await row.getByRole('button', { name: 'Close for good' }).click();
  await row.getByRole('button', { name: 'Resolve' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resolve a market' });
  await dialog.getByText(question).waitFor();
  await dialog.getByRole('radio', { name: 'No', exact: true }).click();
  await dialog.getByRole('textbox', { name: /^Evidence/ }).fill('It is text: <b>see</b>');
  expect(await faultsFound(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Resolve for good: Yes pays 0' }).click();
  await row.getByText('resolved').waitFor();
  expect(await page.locator('main img').count()).toBe(0);

  // The receipt of the event shows the evidence to everybody.
  await row.getByRole('link', { name: question }).click();
  await page.getByText('It is text: <b>see</b>').first().waitFor();
  const [market] = (
    await new OutcomePeople(venue.url).deployer.info.outcomeMeta({
      status: 'resolved',
    })
  ).events.flatMap(({ markets }) => markets);
  expect(market?.settlement).toMatchObject({ winning_outcome: 'No', settlement_fraction: '0' });
});

test('an admin closes a gate and replaces the fees', async () => {
  const page = await operating('/operate?tab=gates', injectedWallet(ADMIN_KEY));
  const gate = page.getByRole('region', { name: 'Outcome markets' });
  await gate.getByRole('radio', { name: 'Whitelist', exact: true }).first().click();
  await gate.getByText('Only addresses on the whitelist may take new risk.').waitFor();
  await gate.getByRole('radio', { name: 'Open', exact: true }).click();
  await gate.getByText('Everybody may trade who is not on the blacklist.').waitFor();

  await page.getByRole('tab', { name: 'Fees' }).click();
  await page.getByRole('button', { name: 'Edit the ladder' }).click();
  const first = page.getByRole('group', { name: 'Level 0' });
  await first.getByRole('textbox', { name: 'Taker' }).fill('0.0005');
  await page.getByRole('button', { name: 'Replace the ladder' }).click();
  await page.getByRole('button', { name: 'Edit the ladder' }).waitFor();
  await page.getByRole('group', { name: 'Fees' }).getByText('0.0500').first().waitFor();
});

test('who may not sees how the venue does, and nothing to press; on a phone too', async () => {
  const page = await visiting('/operate', { viewport: PHONE });
  await page.getByText(/^Everybody may look/).waitFor();
  await page.getByText('Insurance fund').waitFor();
  await page.getByRole('group', { name: 'Oracle prices' }).getByText('BTC-USDC').waitFor();
  for (const tab of ['Perps', 'Events', 'Fees', 'Operators']) {
    await page.getByRole('tab', { name: tab }).click();
    const panel = page.getByRole('tabpanel', { name: tab });
    await panel.locator('> *').first().waitFor();
    expect(await panel.getByRole('button').count()).toBe(0);
    expect(await faultsFound(page)).toEqual([]);
  }
});
