import { createClient, privateKeyWallet, signPermit } from '@oddlot/sdk';
import { parseEther, parseUnits, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chain, chainOf, post, richOnChain } from '../support/chain.ts';
import type { Json } from '../support/client.ts';
import { CALM, Venue } from '../support/venue-process.ts';

/** Money of the settlement chain, from a wallet into the venue, over real JSON-RPC and HTTP. */

let venue: Venue;
let chain: Chain;

beforeAll(async () => {
  venue = await Venue.start([...CALM, '--chain', 'local']);
  chain = await chainOf(venue.url);
}, 60_000);

afterAll(async () => {
  await venue.remove();
});

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const info = (body: object) => post(venue.url, '/info', body);
const inDeadline = (seconds = 3_600): bigint => BigInt(Math.floor(Date.now() / 1000) + seconds);

async function balanceIn(user: Hex): Promise<string> {
  const { data } = await info({ type: 'clearinghouseState', user });
  return data.withdrawable as string;
}

async function credited(user: Hex, balance: string): Promise<void> {
  await expect.poll(() => balanceIn(user), { timeout: 15_000 }).toBe(balance);
}

test('settings name the chain, its contracts and an endpoint for wallets', async () => {
  const { data } = await info({ type: 'settings' });
  expect(data.settlement_chain_id).toBe(421_614);
  expect(data.settlement_rpc_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  for (const contract of [chain.bridge, chain.token]) {
    expect(await chain.reader.getCode({ address: contract })).toMatch(/^0x[0-9a-f]{100}/);
  }
});

test('the faucet gives test USDC and ether on the chain, once an hour', async () => {
  const { address } = await richOnChain(venue.url);
  expect(await chain.balanceOf(address)).toBe(usdc('1000'));
  await expect
    .poll(() => chain.reader.getBalance({ address }), { timeout: 10_000 })
    .toBe(parseEther('1'));
  const again = await post(venue.url, '/request-fund', { user: address, onChain: true });
  expect(again).toMatchObject({ status: 429, message: 'Faucet limit reached' });
});

describe('R-deposit: a wallet’s money is credited once', () => {
  test('by approve and deposit, with a ledger row of that transaction', async () => {
    const account = await richOnChain(venue.url);
    const wallet = chain.wallet(account);
    await wallet.approve(usdc('25.5'));
    const hash = await wallet.deposit(usdc('25.5'));
    await credited(account.address, '25.5');
    const { data } = await info({ type: 'userNonFundingLedgerUpdates', user: account.address });
    expect(data).toMatchObject([
      { hash, delta: { type: 'deposit', amount: '25.5', token: 'USDC' } },
    ]);
    const portfolio = await info({ type: 'portfolio', user: account.address });
    expect(portfolio.data.deposits).toBe('25.5');
  });

  test('by a plain transfer, and below the minimum once it adds up', async () => {
    const account = await richOnChain(venue.url);
    const wallet = chain.wallet(account);
    await wallet.transfer(chain.bridge, usdc('4.9'));
    await wallet.transfer(chain.bridge, usdc('7'));
    await credited(account.address, '7');
    await wallet.transfer(chain.bridge, usdc('0.2'));
    await credited(account.address, '12.1');
  });

  test('by somebody else for the user', async () => {
    const account = await richOnChain(venue.url);
    const user = privateKeyToAccount(generatePrivateKey()).address;
    const wallet = chain.wallet(account);
    await wallet.approve(usdc('9'));
    await wallet.depositFor(user, usdc('9'));
    await credited(user, '9');
  });

  test('the operator sees how the chain is read', async () => {
    const operations = `${venue.operations}/settlement`;
    const status = (await (await fetch(operations)).json()) as Json;
    const { data } = await info({ type: 'settings' });
    const rpcUrl = data.settlement_rpc_url as string;
    expect(status.watch).toMatchObject({ state: 'ok' });
    expect(status.endpoints).toMatchObject([{ name: new URL(rpcUrl).host, state: 'ok' }]);
    expect(status.bridge).toBe(chain.bridge);
  });
});

describe('depositWithPermit: for users without ether', () => {
  async function permitted(usd: string, more: { deadline?: bigint; nonce?: bigint } = {}) {
    const account = await richOnChain(venue.url);
    const wallet = chain.wallet(account);
    const query = await wallet.permit(usdc(usd), more.deadline ?? inDeadline(), more.nonce);
    return { account, query, wallet };
  }

  test('waits for the receipt and is credited; the same permit again is the same transaction', async () => {
    const { account, query } = await permitted('40');
    const first = await info(query);
    expect(first).toMatchObject({ success: true, data: { txHash: expect.stringMatching(/^0x/) } });
    const receipt = await chain.reader.getTransactionReceipt({ hash: first.data.txHash });
    expect(receipt.status).toBe('success');
    expect(await info(query)).toEqual(first);
    expect(await info({ ...query, waitForReceipt: false })).toEqual(first);
    await credited(account.address, '40');
    expect(await chain.balanceOf(account.address)).toBe(usdc('960'));
  });

  test('the SDK signs and sends it', async () => {
    const key = generatePrivateKey();
    const wallet = privateKeyWallet(key);
    await post(venue.url, '/request-fund', { user: wallet.address, onChain: true });
    const { info: queries } = createClient({ url: venue.url });
    const permit = await signPermit(wallet, {
      settings: await queries.settings(),
      usd: 12_000_000,
      nonce: 0,
      deadline: Number(inDeadline()),
    });
    expect((await queries.depositWithPermit(permit)).txHash).toMatch(/^0x[0-9a-f]{64}$/);
    await credited(wallet.address as Hex, '12');
  });

  test('waitForReceipt false answers after the broadcast', async () => {
    const { account, query } = await permitted('6');
    const { data } = await info({ ...query, waitForReceipt: false });
    expect(data.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    await credited(account.address, '6');
  });

  test.each([
    ['below the minimum', '4.999999', {}, 10014, 'Below minimum deposit amount'],
    ['with a deadline too near', '5', { deadline: inDeadline(60) }, 10014, 'Deadline out of range'],
    ['too far', '5', { deadline: inDeadline(8 * 86_400) }, 10014, 'Deadline out of range'],
    ['of another nonce', '5', { nonce: 7n }, 10003, 'Signer does not match user'],
    ['of more than there is', '1001', {}, 10014, 'Permit deposit failed'],
  ])('one %s is refused', async (_, usd, more, code, message) => {
    const { query } = await permitted(usd, more);
    expect(await info(query)).toMatchObject({ success: false, code, message });
  });

  test('one that fails on the chain is a failed deposit', async () => {
    const { account, query, wallet } = await permitted('200');
    // The user was faster: the bridge takes no permit twice, and says so.
    await wallet.usePermit(query);
    const answer = await info(query);
    expect(answer).toMatchObject({ code: 10014, message: 'Permit deposit failed' });
    expect(await info(query)).toMatchObject({ code: 10014, message: 'Permit deposit failed' });
    await credited(account.address, '200');
    expect(await chain.balanceOf(account.address)).toBe(usdc('800'));
  });
});

test('R-deposit: kills between the steps credit nothing twice; the bridge holds what is owed', async () => {
  const account = await richOnChain(venue.url);
  const wallet = chain.wallet(account);
  for (let round = 1; round <= 2; round++) {
    await wallet.transfer(chain.bridge, usdc('10'));
    await venue.kill();
    await venue.startAgain();
    chain = await chainOf(venue.url);
    await credited(account.address, String(10 * round));
    Object.assign(wallet, (await chainOf(venue.url)).wallet(account));
  }
  await post(venue.url, '/request-fund', { user: `0x${'7'.repeat(40)}` });
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${venue.operations}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const owed = await metric('oddlot_settlement_owed_usdc');
  expect(owed).toBeGreaterThan(1000);
  await expect
    .poll(async () => Number(await chain.balanceOf(chain.bridge)) / 1e6, { timeout: 15_000 })
    .toBeCloseTo(await metric('oddlot_settlement_owed_usdc'), 6);
}, 90_000);
