import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';
import { injectedWallet } from './support/injected-wallet.ts';
import { storedKeys } from './support/stored-keys.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

async function fund(user: string): Promise<void> {
  const reply = await fetch(`${venue.url}/request-fund`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user }),
  });
  expect(reply.status).toBe(200);
}

test('a browser wallet opens its account and approves an agent that trades for it', async () => {
  const wallet = injectedWallet(keyOf('page wallet'));
  await fund(wallet.address);
  const visit = await browser.visit(venue.url, { wallet });
  const { page } = visit;
  await visit.open();
  await page.getByRole('button', { name: 'Connect' }).click();
  // A name that contains markup is shown as plain text.
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet <b>' }).click();
  const account = page.getByRole('button', { name: /^0x.*wallet/ });
  await account.waitFor();
  await page.getByText('1,000.00').waitFor();
  expect(wallet.asked.map(({ method }) => method)).toEqual(['eth_requestAccounts']);

  // While the ticket cannot send an order, it shows the button that must be pressed first.
  await visit.open('/trade/BTC-USDC');
  await page.getByText('Sign once with your wallet').waitFor();
  const ticket = page.getByRole('form', { name: 'Order ticket' });
  await ticket.getByRole('button', { name: 'Enable trading' }).click();
  await page.getByRole('button', { name: 'Enter a price' }).waitFor();
  expect(wallet.asked.map(({ method }) => method)).toContain('eth_signTypedData_v4');
  await expect.poll(async () => (await storedKeys(page)).length).toBe(1);

  // A reload restores the account, its agent and its wallet without asking the owner.
  const before = wallet.asked.length;
  await page.reload();
  await account.waitFor();
  await expect
    .poll(() => wallet.asked.slice(before).map(({ method }) => method))
    .toEqual(['eth_accounts']);
});

test('the page reports a rejection in the wallet and sends nothing', async () => {
  const wallet = injectedWallet(keyOf('wallet that says no'));
  await fund(wallet.address);
  const visit = await browser.visit(venue.url, { wallet });
  const { page } = visit;
  await visit.open();
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet <b>' }).click();
  const account = page.getByRole('button', { name: /^0x.*wallet/ });
  await account.waitFor();
  wallet.answer = 'no';
  await account.click();
  await page.getByRole('menuitem', { name: 'Enable trading' }).click();
  await page.getByText('Not signed. Nothing was sent.').first().waitFor();
  expect(visit.sent.some(({ url }) => url.endsWith('/exchange'))).toBe(false);
});

test('any account can be viewed without a key', async () => {
  const wallet = injectedWallet(keyOf('looked at'));
  await fund(wallet.address);
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open();
  await page.getByRole('button', { name: 'Connect' }).click();
  const field = page.getByRole('textbox', { name: /View only/ });
  await field.fill('0x12');
  await page.getByText('Enter 0x followed by 40 hexadecimal digits').waitFor();
  await field.fill(wallet.address);
  await field.press('Enter');
  await page.getByRole('button', { name: /view only/ }).waitFor();
  await page.getByText('1,000.00').waitFor();
});

test('a wallet without an account is offered a deposit, with no signature request', async () => {
  const wallet = injectedWallet(keyOf('page wallet without an account'));
  const visit = await browser.visit(venue.url, { wallet });
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet <b>' }).click();
  await page.getByText('This address has no account yet.').waitFor();
  const letTrade = page.getByRole('button', { name: 'Enable trading' });
  expect(await letTrade.count()).toBe(0);
  await page.locator('main').getByRole('button', { name: 'Deposit' }).click();
  await page.waitForURL('**/account?tab=money&do=deposit');
  // A deposit made elsewhere opens the account and updates the ticket.
  await visit.open('/trade/BTC-USDC');
  await page.getByText('This address has no account yet.').waitFor();
  await fund(wallet.address);
  await letTrade.first().waitFor();
  expect(wallet.asked.map(({ method }) => method)).not.toContain('eth_signTypedData_v4');
});
