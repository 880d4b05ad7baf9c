import { createWalletClient, defineChain, http, parseUnits, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Chain, chainOf, post } from '../support/chain.ts';
import { keyOf } from '../support/wallet.ts';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { injectedWallet, type InjectedWallet } from './support/injected-wallet.ts';
import type { Visit } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue, WITH_PAGE } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/** Transfers money between a wallet, its chain and the venue, using only the page. */

let venue: Venue;
let browser: WebBrowser;
let chain: Chain;

beforeAll(async () => {
  [venue, browser] = await Promise.all([
    startWebVenue([...WITH_PAGE, '--chain', 'local']),
    workerBrowser(),
  ]);
  chain = await chainOf(venue.url);
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await venue?.remove();
});

const usdc = (amount: string): bigint => parseUnits(amount, 6);

/** Returns a wallet that sends its transactions to the venue's chain. */
async function walletOnChain(name: string): Promise<InjectedWallet> {
  const key = keyOf(name);
  const { data } = await post(venue.url, '/info', { type: 'settings' });
  const transport = http(data.settlement_rpc_url as string);
  const sender = createWalletClient({
    account: privateKeyToAccount(key),
    chain: defineChain({
      id: data.settlement_chain_id as number,
      name: 'settlement',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [data.settlement_rpc_url as string] } },
    }),
    transport,
  });
  return injectedWallet(key, async (method, params) => {
    if (method !== 'eth_sendTransaction') throw new Error(`Not for this wallet: ${method}`);
    const [{ data: input, to }] = params as [{ to: Hex; data: Hex }];
    return sender.sendTransaction({ to, data: input });
  });
}

async function connect({ page }: Visit): Promise<void> {
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet <b>' }).click();
  await page.getByRole('button', { name: /^0x.*wallet/ }).waitFor();
}

const asked = (wallet: InjectedWallet): string[] => wallet.asked.map(({ method }) => method);

test('a wallet deposits with just a signature, and its withdrawal is paid on the chain', async () => {
  const wallet = await walletOnChain('page depositor');
  const visit = await browser.visit(venue.url, { wallet });
  const { page } = visit;
  await visit.open('/account');
  await page.getByText('No account connected in this browser').waitFor();
  await connect(visit);

  // The page reports that the wallet has no USDC on the chain, and offers the faucet.
  await page.getByRole('button', { name: 'Get test USDC on chain' }).click();
  await page.getByRole('radio', { name: 'On chain' }).click();
  await page.getByRole('button', { name: 'Get 1,000 test USDC' }).click();
  await page.getByText(/1,000 test USDC received/).waitFor();
  expect(await chain.balanceOf(wallet.address as Hex)).toBe(usdc('1000'));

  await page.getByRole('radio', { name: 'Deposit' }).click();
  const amount = page.getByRole('textbox', { name: 'Amount' });
  await amount.fill('3');
  await page.getByText('Minimum: 5.00 USDC').waitFor();
  await page.getByRole('button', { name: 'Use 5.00' }).click();
  await page.getByRole('button', { name: 'Deposit 5.00 USDC' }).waitFor();
  await amount.fill('2000');
  await page.getByText('Maximum: 1,000.00 USDC').waitFor();
  await amount.fill('250.5');
  await page.getByRole('button', { name: 'Deposit 250.50 USDC' }).click();
  const deposit = page.getByRole('row', { name: /Deposit.*\+250\.50.*Completed/ });
  await deposit.waitFor();
  expect(asked(wallet)).not.toContain('eth_sendTransaction');
  expect(await chain.balanceOf(wallet.address as Hex)).toBe(usdc('749.5'));

  await page.getByRole('radio', { name: 'Withdraw' }).click();
  await amount.fill('100');
  await page.getByText('99.90 USDC').waitFor();
  await page.getByRole('button', { name: /^Withdraw 100\.00 to 0x/ }).click();
  const ladder = page.getByRole('list', { name: /^Withdrawal of 100\.00 USDC to 0x/ });
  await ladder.waitFor();
  await page.getByRole('row', { name: /Withdrawal.*−100\.00.*Completed/ }).waitFor();
  await expect.poll(() => chain.balanceOf(wallet.address as Hex)).toBe(usdc('849.4'));
  // The page also updates the wallet balance.
  await page.getByText('849.40').first().waitFor();
  expect(await faultsFound(page)).toEqual([]);
});

test('a wallet that cannot sign permits deposits with transactions', async () => {
  const wallet = await walletOnChain('page sender');
  await post(venue.url, '/request-fund', { user: wallet.address, onChain: true });
  const visit = await browser.visit(venue.url, { wallet });
  const { page } = visit;
  await visit.open('/account');
  await connect(visit);
  await page.getByRole('radio', { name: 'Transaction' }).click();
  await page.getByRole('button', { name: 'Max 1,000.00' }).click();
  await page.getByRole('button', { name: 'Deposit 1,000.00 USDC' }).click();
  await page.getByRole('row', { name: /Deposit.*\+1,000\.00.*Completed/ }).waitFor();
  expect(asked(wallet).filter((method) => method === 'eth_sendTransaction')).toHaveLength(2);
  expect(await chain.balanceOf(wallet.address as Hex)).toBe(0n);
});

test('after a rejection in the wallet, no money has moved and the page reports that nothing was sent', async () => {
  const wallet = await walletOnChain('page refuser');
  await post(venue.url, '/request-fund', { user: wallet.address, onChain: true });
  const visit = await browser.visit(venue.url, { wallet });
  const { page } = visit;
  await visit.open('/account');
  await connect(visit);
  await page.getByRole('button', { name: 'Max 1,000.00' }).click();
  wallet.answer = 'no';
  await page.getByRole('button', { name: 'Deposit 1,000.00 USDC' }).click();
  await page.getByText('Not signed. Nothing was sent.').waitFor();
  expect(await chain.balanceOf(wallet.address as Hex)).toBe(usdc('1000'));
});

test('money can be moved between sub-accounts and to another account', async () => {
  const friend = injectedWallet(keyOf('page friend')).address;
  await post(venue.url, '/request-fund', { user: friend });
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.openWithAccount('/account?tab=money&do=transfer');
  await page.getByText('1,000.00 available').waitFor();
  const amount = page.getByRole('textbox', { name: 'Amount' });
  await amount.fill('400');
  await page.getByRole('button', { name: 'Transfer 400.00 USDC' }).click();
  await page.getByRole('row', { name: /To outcomes.*400\.00/ }).waitFor();
  await page.getByText('400.00 available').waitFor();

  await page.getByRole('radio', { name: 'To another account' }).click();
  await page.getByRole('textbox', { name: 'Recipient address' }).fill(friend);
  await amount.fill('25.25');
  await page.getByRole('button', { name: /^Send 25\.25 to 0x/ }).click();
  await page.getByRole('row', { name: /Sent.*−25\.25/ }).waitFor();
  const { data } = await post(venue.url, '/info', { type: 'clearinghouseState', user: friend });
  expect(data.withdrawable).toBe('1025.25');

  // The faucet pays once. For every destination, the page shows the time of the next payment, and
  // the button is disabled until then.
  await page.getByRole('radio', { name: 'Test funds' }).click();
  visit.expectErrors(/status of 429/);
  const faucet = page.getByRole('button', { name: 'Get 1,000 test USDC' });
  await faucet.click();
  await page.getByText(/^Already received\. You can request more after/).waitFor();
  expect(await faucet.isDisabled()).toBe(true);
  await page.getByRole('radio', { name: 'On chain' }).click();
  expect(await faucet.isDisabled()).toBe(true);
});
