import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import { createClient, privateKeyWallet, signPermit } from '@oddlot/sdk';
import { Contract, JsonRpcProvider, Wallet as EthersWallet } from 'ethers';
import { parseEther, parseUnits, toHex, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chain, chainOf, post, fundedOnChain, type SignedPermit } from '../support/chain.ts';
import type { Json } from '../support/client.ts';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';

let venue: Venue;
let chain: Chain;

beforeAll(async () => {
  venue = await Venue.start([...FIXED_PRICE_FLAGS, '--chain', 'local']);
  chain = await chainOf(venue.url);
});

afterAll(async () => {
  await venue.remove();
});

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const info = (body: object) => post(venue.url, '/info', body);
const inDeadline = (seconds = 3_600): bigint => BigInt(Math.floor(Date.now() / 1000) + seconds);

function localKeys({ data }: Venue): { readonly relayer: Hex; readonly guardian: Hex } {
  return JSON.parse(readFileSync(join(data, 'settlement', 'keys.json'), 'utf8'));
}

async function balanceIn(user: Hex): Promise<string> {
  const { data } = await info({ type: 'clearinghouseState', user });
  return data.withdrawable as string;
}

async function credited(user: Hex, balance: string): Promise<void> {
  await expect.poll(() => balanceIn(user), { timeout: 60_000 }).toBe(balance);
}

test('settings give the chain, its contracts and an endpoint for wallets', async () => {
  const { data } = await info({ type: 'settings' });
  expect(data.settlement_chain_id).toBe(421_614);
  expect(data.settlement_rpc_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  for (const contract of [chain.bridge, chain.token]) {
    expect(await chain.reader.getCode({ address: contract })).toMatch(/^0x[0-9a-f]{100}/);
  }
});

test('the faucet gives out test USDC and ether on the chain once an hour', async () => {
  const { address } = await fundedOnChain(venue.url);
  expect(await chain.balanceOf(address)).toBe(usdc('1000'));
  await expect
    .poll(() => chain.reader.getBalance({ address }), { timeout: 60_000 })
    .toBe(parseEther('1'));
  const again = await post(venue.url, '/request-fund', { user: address, onChain: true });
  expect(again).toMatchObject({ status: 429, message: 'Faucet limit reached' });
});

describe('R-deposit: a deposit from a wallet is credited exactly once', () => {
  test('approve and deposit are credited, with a ledger row for the transaction', async () => {
    const account = await fundedOnChain(venue.url);
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

  test('plain transfers below the minimum are credited when their sum reaches it', async () => {
    const account = await fundedOnChain(venue.url);
    const wallet = chain.wallet(account);
    await wallet.transfer(chain.bridge, usdc('4.9'));
    await wallet.transfer(chain.bridge, usdc('7'));
    await credited(account.address, '7');
    await wallet.transfer(chain.bridge, usdc('0.2'));
    await credited(account.address, '12.1');
  });

  test('a deposit made by another account is credited to the user it names', async () => {
    const account = await fundedOnChain(venue.url);
    const user = privateKeyToAccount(generatePrivateKey()).address;
    const wallet = chain.wallet(account);
    await wallet.approve(usdc('9'));
    await wallet.depositFor(user, usdc('9'));
    await credited(user, '9');
  });

  test('the operator can see how far the chain has been read', async () => {
    const operations = `${venue.operations}/settlement`;
    const status = (await (await fetch(operations)).json()) as Json;
    const { data } = await info({ type: 'settings' });
    const rpcUrl = data.settlement_rpc_url as string;
    expect(status.watch).toMatchObject({ state: 'ok' });
    expect(status.endpoints).toMatchObject([{ name: new URL(rpcUrl).host, state: 'ok' }]);
    expect(status.bridge).toBe(chain.bridge);
  });
});

describe('depositWithPermit accepts deposits from users who have no ether', () => {
  type PermitOptions = { readonly deadline?: bigint; readonly nonce?: bigint };

  async function permitted(usd: string, more: PermitOptions = {}) {
    const account = await fundedOnChain(venue.url);
    const query = await permitOf(account, usd, more);
    return { account, query, wallet: chain.wallet(account) };
  }

  function permitOf(
    account: Awaited<ReturnType<typeof fundedOnChain>>,
    usd: string,
    more: PermitOptions,
  ): Promise<SignedPermit> {
    const wallet = chain.wallet(account);
    return wallet.permit(usdc(usd), more.deadline ?? inDeadline(), more.nonce);
  }

  test('depositWithPermit waits for the receipt, and repeating the permit returns the same transaction', async () => {
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

  test('depositWithPermit accepts only 27 or 28 as v', async () => {
    const { account, query } = await permitted('40');
    const { r, s, v } = query.signature;
    for (const wrong of [v - 27, 29, '27']) {
      const refused = await info({ ...query, signature: { r, s, v: wrong } });
      expect(refused).toMatchObject({
        success: false,
        code: 10002,
        details: { field: 'signature.v' },
      });
    }
    const rejected = await info({ ...query, signature: { r, s, v: v - 27 } });
    expect(rejected.details).toMatchObject({ allowed: [27, 28] });
    expect(await chain.balanceOf(account.address)).toBe(usdc('1000'));
  });

  test('the SDK signs and sends a permit', async () => {
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

  test('depositWithPermit answers after the broadcast if waitForReceipt is false', async () => {
    const { account, query } = await permitted('6');
    const { data } = await info({ ...query, waitForReceipt: false });
    expect(data.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    await credited(account.address, '6');
  });

  let patient: ReturnType<typeof fundedOnChain> | undefined;

  test.each([
    ['below the minimum', '4.999999', {}, 10014, 'Below minimum deposit amount'],
    ['with a deadline too near', '5', { deadline: inDeadline(60) }, 10014, 'Deadline out of range'],
    ['too far', '5', { deadline: inDeadline(8 * 86_400) }, 10014, 'Deadline out of range'],
    ['of another nonce', '5', { nonce: 7n }, 10003, 'Signer does not match user'],
    ['of more than the balance', '1001', {}, 10014, 'Permit deposit failed'],
  ])('depositWithPermit rejects a permit %s', async (_, usd, more, code, message) => {
    // Rejected permits are never sent to the chain, so all cases can share one account.
    const query = await permitOf(await (patient ??= fundedOnChain(venue.url)), usd, more);
    expect(await info(query)).toMatchObject({ success: false, code, message });
  });

  const malleated = ({ r, s: low, v }: SignedPermit['signature']) => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    return { r, s: toHex(order - BigInt(low), { size: 32 }), v: v === 27 ? 28 : 27 };
  };
  type Odd = (query: SignedPermit) => object;
  test.each<[string, Odd, number, string]>([
    ['an amount that is a number', (q) => ({ ...q, usd: 5_000_000 }), 10002, 'usd'],
    ['an amount with a fraction', (q) => ({ ...q, usd: '5000000.5' }), 10002, 'usd'],
    ['an amount below zero', (q) => ({ ...q, usd: '-5000000' }), 10002, 'usd'],
    ['an amount in hexadecimal', (q) => ({ ...q, usd: '0x4c4b40' }), 10002, 'usd'],
    ['an empty amount', (q) => ({ ...q, usd: '' }), 10002, 'usd'],
    ['no amount', ({ usd: _, ...q }) => q, 10002, 'usd'],
    ['an amount of zero', (q) => ({ ...q, usd: '0' }), 10014, 'Below minimum deposit amount'],
    ['an amount beyond exact numbers', (q) => ({ ...q, usd: '9007199254740992' }), 10002, 'usd'],
    ['a deadline that is a number', (q) => ({ ...q, deadline: 1_900_000_000 }), 10002, 'deadline'],
    ['a deadline in the past', (q) => ({ ...q, deadline: '1' }), 10014, 'Deadline out of range'],
    [
      'a deadline of 119 seconds',
      (q) => ({ ...q, deadline: String(inDeadline(119)) }),
      10014,
      'Deadline out of range',
    ],
    [
      'a deadline of a second too much',
      (q) => ({ ...q, deadline: String(inDeadline(7 * 86_400 + 2)) }),
      10014,
      'Deadline out of range',
    ],
    [
      'a deadline of 30 digits',
      (q) => ({ ...q, deadline: '9'.repeat(30) }),
      10014,
      'Deadline out of range',
    ],
    ['v of 2', (q) => ({ ...q, signature: { ...q.signature, v: 2 } }), 10002, 'v'],
    [
      'r without 0x',
      (q) => ({ ...q, signature: { ...q.signature, r: q.signature.r.slice(2) } }),
      10002,
      'r',
    ],
    ['v of 29', (q) => ({ ...q, signature: { ...q.signature, v: 29 } }), 10002, 'v'],
    [
      'r of too many digits',
      (q) => ({ ...q, signature: { ...q.signature, r: `0x${'1'.repeat(65)}` } }),
      10002,
      'r',
    ],
    [
      's that is not a number',
      (q) => ({ ...q, signature: { ...q.signature, s: '0xzz' } }),
      10002,
      's',
    ],
    ['no signature', ({ signature: _, ...q }) => q, 10002, 'signature'],
    [
      'a signature without a signer',
      (q) => ({ ...q, signature: { r: '0x0', s: '0x0', v: 27 } }),
      10003,
      'Signer does not match user',
    ],
    [
      'the malleated form of a signature',
      (q) => ({ ...q, signature: malleated(q.signature) }),
      10003,
      'Signer does not match user',
    ],
    [
      'a user that is a contract',
      (q) => ({ ...q, user: chain.bridge }),
      10003,
      'Signer does not match user',
    ],
    ['a user that is not an address', (q) => ({ ...q, user: '0x12' }), 10002, 'user'],
    ['waitForReceipt null', (q) => ({ ...q, waitForReceipt: null }), 10002, 'waitForReceipt'],
  ])('rejects %s by name', async (_, odd, code, text) => {
    const answer = await info(odd(await oddPermit()));
    expect(answer).toMatchObject({ success: false, code });
    expect(String(answer['message']) + JSON.stringify(answer['details'] ?? '')).toContain(text);
  });

  /** Rejected permits are never sent to the chain, so all cases can share one permit. */
  let refused: Promise<SignedPermit> | undefined;
  const oddPermit = (): Promise<SignedPermit> =>
    (refused ??= permitted('5').then(({ query }) => query));

  test.each<[string, string, Odd]>([
    [
      'leading zeros and capital letters',
      '6',
      (q) => ({ ...q, usd: `00${q.usd}`, user: `0x${q.user.slice(2).toUpperCase()}` }),
    ],
  ])('treats permits with %s as the same permit', async (_, usd, odd) => {
    const { account, query } = await permitted(usd);
    const first = await info(odd(query));
    expect(first).toMatchObject({ success: true });
    expect(await info(query)).toEqual(first);
    await credited(account.address, usd);
  });

  test.each([120, 7 * 86_400])(
    'depositWithPermit accepts a deadline of exactly %i seconds',
    async (seconds) => {
      // Tries again if the clock moved to the next second between signing and sending.
      const attempt = async () => {
        const { query } = await permitted('5', { deadline: inDeadline(seconds) });
        return (await info(query))['success'];
      };
      expect((await attempt()) === true || (await attempt()) === true).toBe(true);
    },
  );

  /** Returns the transaction count of the venue's relayer. */
  const relayed = async (): Promise<number> =>
    await chain.reader.getTransactionCount({
      address: privateKeyToAccount(localKeys(venue).relayer).address,
    });

  test("depositWithPermit sends nothing for a used nonce, a paused bridge or a user's second pending permit", async () => {
    const { account, query, wallet } = await permitted('20');
    const others = await Promise.all(
      ['21', '22', '23'].map((usd) => wallet.permit(usdc(usd), inDeadline(), 0n)),
    );
    const before = await relayed();
    // Permits with the same nonce exclude each other.
    const answers = await Promise.all([query, ...others].map((each) => info(each)));
    expect(answers.filter(({ success }) => success === true)).toHaveLength(1);
    expect(await relayed()).toBe(before + 1);
    for (const other of others) {
      const { success, code } = await info(other);
      expect(success === true || code === 10014).toBe(true);
    }
    expect(await relayed()).toBe(before + 1);
    const guardian = chain.wallet(privateKeyToAccount(localKeys(venue).guardian));
    const overtaken = await wallet.permit(usdc('30'), inDeadline());
    await guardian.pause(true);
    expect(await info(overtaken)).toMatchObject({ code: 10014, message: 'Permit deposit failed' });
    expect(await relayed()).toBe(before + 1);
    await guardian.pause(false);
    expect(await info(overtaken)).toMatchObject({ success: true });
    expect(await chain.balanceOf(account.address)).toBeLessThanOrEqual(usdc('950'));
  });

  test.each([
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['the bridge', 'bridge'],
    ['the token', 'token'],
  ])('R-transfer: the faucet grants nothing on the chain to %s', async (_, receiver) => {
    const user =
      receiver === 'bridge' ? chain.bridge : receiver === 'token' ? chain.token : receiver;
    const answer = await post(venue.url, '/request-fund', { user, onChain: true });
    expect(answer).toMatchObject({ success: false, code: 10014, message: 'Invalid address' });
  });

  test('a permit that fails on the chain is reported as a failed deposit', async () => {
    const { account, query, wallet } = await permitted('200');
    // The user has already used the permit on the chain, and the bridge accepts each permit only
    // once.
    await wallet.usePermit(query);
    const answer = await info(query);
    expect(answer).toMatchObject({ code: 10014, message: 'Permit deposit failed' });
    expect(await info(query)).toMatchObject({ code: 10014, message: 'Permit deposit failed' });
    await credited(account.address, '200');
    expect(await chain.balanceOf(account.address)).toBe(usdc('800'));
  });
});

test('an ethers program can deposit using only the contracts', async () => {
  const key = generatePrivateKey();
  const { data } = await info({ type: 'settings' });
  const provider = new JsonRpcProvider(data.settlement_rpc_url as string, undefined, {
    polling: true,
    pollingInterval: 50,
    cacheTimeout: -1,
  });
  const wallet = new EthersWallet(key, provider);
  await post(venue.url, '/request-fund', { user: wallet.address, onChain: true });
  const token = new Contract(chain.token, TEST_USDC_ABI as unknown as [], wallet);
  const bridge = new Contract(chain.bridge, BRIDGE_ABI as unknown as [], wallet);
  const approval = await token.getFunction('approve')(chain.bridge, usdc('31'));
  await approval.wait();
  const deposit = await bridge.getFunction('deposit')(usdc('31'));
  const receipt = await deposit.wait();
  expect(receipt.status).toBe(1);
  await credited(wallet.address as Hex, '31');
  expect(await token.getFunction('balanceOf')(wallet.address)).toBe(usdc('969'));
  provider.destroy();
});

test('logs contain no keys, and on-chain faucet grants survive a restart', async () => {
  const account = await fundedOnChain(venue.url);
  await venue.kill();
  await venue.startAgain([...FIXED_PRICE_FLAGS, '--chain', 'local', '--log-level', 'trace']);
  chain = await chainOf(venue.url);
  const again = await post(venue.url, '/request-fund', { user: account.address, onChain: true });
  expect(again).toMatchObject({ status: 429, message: 'Faucet limit reached' });
  const inside = await post(venue.url, '/request-fund', { user: account.address });
  expect(inside).toMatchObject({ status: 429 });
  const keys = readFileSync(join(venue.data, 'settlement', 'keys.json'), 'utf8').match(
    /[0-9a-f]{64}/g,
  );
  expect(keys?.length).toBe(6);
  const texts = [
    venue.stderr,
    venue.stdout,
    await (await fetch(`${venue.operations}/settlement`)).text(),
  ];
  for (const key of keys ?? []) for (const text of texts) expect(text).not.toContain(key);
});

test('R-deposit: kills between the steps never cause a deposit to be credited twice', async () => {
  const account = await fundedOnChain(venue.url);
  const wallet = chain.wallet(account);
  // `tests/crash/deposits.test.ts` kills the venue at many more steps.
  await wallet.transfer(chain.bridge, usdc('10'));
  await venue.kill();
  await venue.startAgain();
  chain = await chainOf(venue.url);
  await credited(account.address, '10');
  await chain.wallet(account).transfer(chain.bridge, usdc('10'));
  await credited(account.address, '20');
  await post(venue.url, '/request-fund', { user: `0x${'7'.repeat(40)}` });
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${venue.operations}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const owed = await metric('oddlot_settlement_owed_usdc');
  expect(owed).toBeGreaterThan(1000);
  await expect
    .poll(async () => Number(await chain.balanceOf(chain.bridge)) / 1e6, { timeout: 60_000 })
    .toBeCloseTo(await metric('oddlot_settlement_owed_usdc'), 6);
});
