import type { Page } from 'playwright-core';
import { createClient, privateKeyWallet } from '@oddlot/sdk';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';
import { faultsFound } from './support/accessibility.ts';
import { perpNear, tradeBetween, trader } from './support/trading.ts';
import { PHONE, type VisitOptions } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

async function visiting(path: string, options: VisitOptions = {}): Promise<Page> {
  const visit = await browser.visit(venue.url, options);
  await visit.open(path);
  return visit.page;
}

test('the explorer shows an order immediately and describes it in words on each of its screens', async () => {
  const seller = await trader(venue.url, 'explorer seller');
  const buyer = await trader(venue.url, 'explorer buyer');
  const page = await visiting('/explorer');
  await page.getByRole('group', { name: 'Blocks' }).getByRole('link').first().waitFor();
  const perp = await perpNear(buyer, 'BTC-USDC');
  await tradeBetween(seller, buyer, { ...perp, size: '0.01' });

  const txs = page.getByRole('group', { name: 'Latest transactions' });
  const own = txs.getByRole('row').filter({ has: page.getByTitle(buyer.wallet!.address) });
  const price = Number(perp.price).toLocaleString('en-US');
  const description = `Buy 0.01 BTC-USDC at ${price}, limit`;
  await own.filter({ hasText: description }).first().getByRole('link').first().click();
  // The list may contain other orders with the same terms.
  await page.getByRole('heading', { name: /^Transaction 0x/ }).waitFor();
  await page.getByText(`Buy 0.01 BTC-USDC at ${price}`).waitFor();
  await page.getByText(`filled: 0.01 at ${price}`).waitFor();
  await page.getByText('executed').waitFor();
  expect(await faultsFound(page)).toEqual([]);

  // The order is in the block. The search field finds both kinds of hashes.
  const hash = new URL(page.url()).pathname.split('/').at(-1)!;
  const { block } = await buyer.info.tx({ txHash: hash });
  const { hash: blockHash } = await buyer.info.block({ height: block });
  const field = page.getByRole('searchbox', { name: 'Height, hash, address or market' });
  await field.fill(blockHash);
  await field.press('Enter');
  await page.getByRole('heading', { name: `Block ${block.toLocaleString('en-US')}` }).waitFor();
  await page.getByText(blockHash).waitFor();
  await page.getByTitle(hash).click();
  await page.getByRole('heading', { name: /^Transaction 0x/ }).waitFor();
  await page.getByText(`Buy 0.01 BTC-USDC at ${price}`).waitFor();
  await field.fill(buyer.wallet!.address);
  await field.press('Enter');
  await page.getByRole('heading', { name: /^Account 0x/ }).waitFor();
  const positions = page.getByRole('group', { name: 'Positions' });
  await positions.getByRole('link', { name: 'BTC-USDC' }).waitFor();
  await page.getByRole('tab', { name: /^Trade history/ }).click();
  await page.getByRole('group', { name: 'Trade history' }).getByText('BTC-USDC').first().waitFor();
  expect(await faultsFound(page)).toEqual([]);

  // The account lists its signed requests, with each row linking to its request.
  await page.getByRole('tab', { name: 'Transactions' }).click();
  const signed = page.getByRole('group', { name: 'Transactions' });
  await signed.getByTitle(hash).waitFor();
  expect(await signed.getByRole('row').count()).toBe(2);
  expect(await faultsFound(page)).toEqual([]);
  for (const [tab, role] of [
    ['Trade history', 'link'],
    ['Order history', 'button'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    const rows = page.getByRole('group', { name: tab });
    await rows
      .getByRole(role, { name: /^Transaction: / })
      .first()
      .press('Enter');
    await page.waitForURL(`**/explorer/tx/${hash}`);
    await page.getByText(`filled: 0.01 at ${price}`).waitFor();
    await page.goBack();
  }
  // Effects caused by the venue carry the hash of their block.
  await page.goto(`${venue.url}/explorer/tx/${blockHash}`);
  await page.getByRole('heading', { name: `Block ${block.toLocaleString('en-US')}` }).waitFor();
});

test('the explorer reports unknown hashes and invalid searches', async () => {
  const page = await visiting('/explorer/block/999999999', {
    expectedErrors: /40[034]|Failed to load resource/,
  });
  await page.getByText('Block not found').waitFor();
  await page.goto(`${venue.url}/explorer/tx/0x${'ab'.repeat(32)}`);
  await page.getByText('Transaction not found').waitFor();
  // If another user's account is empty, the page does not explain how to get funds.
  await page.goto(`${venue.url}/explorer/address/0x${'0'.repeat(36)}dead`);
  await page.getByText('No open positions').waitFor();
  expect(await page.getByText(/\b[Yy]ou\b/).count()).toBe(0);
  await page.goto(`${venue.url}/explorer/address/0x12`);
  await page.getByText('Invalid address').waitFor();
  await page.getByRole('searchbox').fill('my order');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText(/^No match/).waitFor();
  await page.getByRole('searchbox').fill('eth');
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL('**/trade/ETH-USDC');
});

test('an account can be viewed without a key', async () => {
  const { wallet } = await trader(venue.url, 'looked at in the explorer');
  const page = await visiting(`/explorer/address/${wallet!.address}`);
  await page.getByText('1,000.00').first().waitFor();
  await page.getByRole('button', { name: 'View as this account' }).click();
  await page.getByRole('button', { name: /view only/ }).waitFor();
  await page.waitForURL('**/portfolio');
  await page.getByText(/^Viewing 0x/).waitFor();
  expect(await faultsFound(page)).toEqual([]);
  await page.goto(`${venue.url}/explorer/address/${wallet!.address}`);
  await page.getByText('yours', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('button', { name: 'Connect' }).waitFor();
  expect(await page.getByText(/^Viewing/).count()).toBe(0);
});

test('names chosen by other users are shown as plain text, including on a phone', async () => {
  const wallet = privateKeyWallet(keyOf('explorer agent owner'));
  const owner = createClient({ url: venue.url, wallet });
  await owner.faucet({ user: wallet.address });
  const agentName = '<b id=x>$t(';
  const { txHash } = await owner.exchange.approveAgent(
    { agentAddress: privateKeyWallet(keyOf('explorer agent')).address, agentName },
    { confirm: 'executed' },
  );
  const page = await visiting(`/explorer/tx/${txHash}`, { viewport: PHONE });
  await page.getByText(`named “${agentName}”`).waitFor();
  expect(await page.locator('b#x').count()).toBe(0);
  expect(await faultsFound(page)).toEqual([]);
});
