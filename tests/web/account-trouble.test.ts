import { parseUnits, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { post } from '../support/chain.ts';
import { relayOf } from '../support/relay.ts';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { ChainOperator } from './support/chain-operator.ts';
import { PHONE, type VisitOptions } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue, WITH_PAGE } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/** Tests that the page shows the state, the reason and the result of delayed transfers. */

let venue: Venue;
let browser: WebBrowser;
let operator: ChainOperator;
/** The timeout for tests that wait for validators and confirmations. */
const SLOW_MS = 120_000;
const LONG_WAIT = { timeout: 60_000 };

beforeAll(async () => {
  const flags = ['--chain', 'local', '--relay', '--faucet-usdc', '300000'];
  // Deposits need this many confirmations. The tests mine the blocks. A faucet that backs its
  // payments on the chain mines a few more.
  const slow = ['--payout-patience-ms', '1000', '--chain-confirmations', '6'];
  [venue, browser] = await Promise.all([
    startWebVenue([...WITH_PAGE, ...flags, ...slow]),
    workerBrowser(),
  ]);
  operator = await ChainOperator.of(venue);
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await venue?.remove();
});

/** Opens a transfer form for a visitor with a test account. */
async function atMoney(form: string, options?: VisitOptions): Promise<{ page: Page; user: Hex }> {
  const visit = await browser.visit(venue.url, options);
  const { address } = await visit.openWithAccount(`/account?tab=money&do=${form}`);
  const { page } = visit;
  await page.getByText('300,000.00 available').waitFor();
  return { page, user: address as Hex };
}

async function withdraw(page: Page, amount: string, destination?: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Amount' }).fill(amount);
  if (destination !== undefined) {
    await page.getByRole('textbox', { name: /^To/ }).fill(destination);
  }
  await page.getByRole('button', { name: /^Withdraw \d/ }).click();
}

const row = (page: Page, name: RegExp) => page.getByRole('row', { name });

test(
  'a pending deposit is still shown after a reload, until it is credited',
  async () => {
    const { page, user } = await atMoney('deposit');
    await page.getByRole('button', { name: 'Withdraw to this chain' }).waitFor();
    await operator.give(user, parseUnits('60', 6));
    await page.getByRole('button', { name: 'Max 60.00' }).waitFor();
    await page.getByRole('textbox', { name: 'Amount' }).fill('25');
    await page.getByRole('button', { name: 'Deposit 25.00 USDC' }).click();
    const way = page.getByRole('list', { name: 'Deposit of 25.00 USDC' });
    await way.waitFor();
    await page.reload();
    await way.getByText('Confirmations').waitFor();
    expect(await row(page, /Deposit.*\+25\.00/).count()).toBe(0);
    await operator.mineUntil(row(page, /Deposit.*\+25\.00.*Completed/).waitFor(LONG_WAIT));
    await way.waitFor({ state: 'detached' });
    await page.getByText('300,025.00 available').waitFor();
  },
  SLOW_MS,
);

test(
  'after a lost answer, the page asks the venue for the result instead of guessing',
  async () => {
    const { page } = await atMoney('transfer', { expectedErrors: /ERR_FAILED|Failed to fetch/ });
    const amount = page.getByRole('textbox', { name: 'Amount' });
    // The request reaches the venue, but its response and those to all retries are lost.
    await page.route('**/exchange', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await amount.fill('100');
    await page.getByRole('button', { name: /^Transfer 100\.00/ }).click();
    await page.getByText('299,900.00 available').waitFor(LONG_WAIT);
    // Whatever is typed in the meantime belongs to the next transfer and is not cleared.
    await amount.fill('70');
    await page.getByText(/^100\.00 USDC transferred/).waitFor(LONG_WAIT);
    expect(await amount.inputValue()).toBe('70');
    await page.unroute('**/exchange');
    await page.route('**/exchange', (route) => route.abort());
    await page.getByRole('button', { name: /^Transfer 70\.00/ }).click();
    // The request has no expiry, so it may still arrive later.
    await page.getByText(/^Status unknown\. Check your history/).waitFor(LONG_WAIT);
    await page.getByText('299,900.00 available').waitFor();
    expect(await page.getByText(/Request expired and was not executed/).count()).toBe(0);
  },
  SLOW_MS,
);

test(
  'a withdrawal that is waiting shows the reason and resumes automatically',
  async () => {
    const { page } = await atMoney('withdraw', { viewport: PHONE });
    await operator.pause(true);
    await withdraw(page, '100');
    await page.getByText('The bridge is paused.').waitFor();
    await row(page, /Withdrawal.*−100\.00.*Pending/).waitFor();
    await page.reload();
    await page.getByText('The bridge is paused.').waitFor();
    expect(await faultsFound(page)).toEqual([]);
    await operator.pause(false);
    await operator.mineUntil(row(page, /Withdrawal.*−100\.00.*Completed/).waitFor(LONG_WAIT));
    expect(await page.getByText('The bridge is paused.').count()).toBe(0);
  },
  SLOW_MS,
);

test(
  'a large withdrawal is delayed, and the page reports that the guardian cancelled it',
  async () => {
    const { page, user } = await atMoney('withdraw');
    const fundedUser = privateKeyToAccount(generatePrivateKey()).address.toLowerCase();
    await withdraw(page, '150000', fundedUser);
    await operator.mineUntil(
      page.getByText(/^Large payouts are delayed: this one is payable at/).waitFor(LONG_WAIT),
    );
    const { data } = await post(venue.url, '/info', { type: 'withdrawals', user });
    await operator.cancel((data as { id: number }[])[0]!.id);
    await operator.mineUntil(row(page, /Withdrawal.*−150,000\.00.*Refunded/).waitFor(LONG_WAIT));
    await page.getByText('The payout was cancelled on the bridge.').waitFor();
    await page.getByText('300,000.00 available').waitFor();
    // The page still shows the reason after a reload.
    await page.reload();
    await page.getByRole('button', { name: 'Withdrawal' }).click();
    const dialog = page.getByRole('dialog', { name: 'Withdrawal' });
    await dialog.getByText('The full amount was refunded').waitFor();
    await dialog.getByText('The payout was cancelled on the bridge.').waitFor();
    await dialog.getByText(fundedUser).waitFor();
    expect(await faultsFound(page)).toEqual([]);
  },
  SLOW_MS,
);

test(
  'a deposit from another chain arrives through the relay',
  async () => {
    const relay = await relayOf(venue.url);
    const { page } = await atMoney('deposit');
    await page.getByRole('radio', { name: 'Another chain' }).click();
    await page.getByRole('button', { name: 'Get address on Base' }).click();
    const transfers = page.getByRole('list', { name: 'Relay transfers' });
    const address = (await transfers.locator('code').textContent()) as Hex;
    await transfers.getByText('Nothing received yet.').waitFor();
    const base = await relay.chain('base');
    const { account } = await relay.rich();
    await base.wallet(account).transfer(address, parseUnits('50', 6));
    await transfers.getByText(/^50\.00 USDC from Base/).waitFor();
    await operator.mineUntil(row(page, /Deposit.*\+\d/).waitFor(LONG_WAIT));
    expect(await faultsFound(page)).toEqual([]);
  },
  SLOW_MS,
);

test(
  'a withdrawal to another chain through the relay is tracked until it completes',
  async () => {
    const relay = await relayOf(venue.url);
    const { page, user } = await atMoney('withdraw');
    const fundedUser = privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex;
    await page.getByRole('radio', { name: 'Another chain' }).click();
    await page.getByRole('radio', { name: 'Base' }).click();
    await withdraw(page, '25', fundedUser);
    const transfers = page.getByRole('list', { name: 'Relay transfers' });
    await transfers.getByText(/^25\.00 USDC to Base/).waitFor(LONG_WAIT);
    await row(page, /Sent.*25\.00/).waitFor();
    const base = await relay.chain('base');
    await expect.poll(() => base.balanceOf(fundedUser), LONG_WAIT).toBeGreaterThan(0n);
    const [sent] = (await relay.client.transfers({ user })).items;
    expect(await base.balanceOf(fundedUser)).toBe(
      parseUnits(sent!.amount, 6) - parseUnits(sent!.fee, 6),
    );
    // No steps are pending any more.
    await transfers.locator('li[aria-current="step"]').waitFor({ state: 'hidden', ...LONG_WAIT });
    expect(await faultsFound(page)).toEqual([]);
  },
  SLOW_MS,
);
