import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import { createClient, privateKeyWallet } from '@oddlot/sdk';
import { createWalletClient, defineChain, type Hex, http, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chain, chainOf, post } from '../support/chain.ts';
import type { Json } from '../support/client.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { FIXED_PRICE_FLAGS, NODE, REPOSITORY, Venue } from '../support/venue-process.ts';

const FLAGS = [
  ...FIXED_PRICE_FLAGS,
  '--chain',
  'local',
  '--faucet-usdc',
  '300000',
  '--payout-patience-ms',
  '1000',
];
const usdc = (amount: string): bigint => parseUnits(amount, 6);
const confirm = { confirm: 'executed' } as const;
const fundedUser = (): Hex =>
  privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex;

let venue: Venue;
let chain: Chain;
const refused = fundedUser();

/** Returns the local chain's keys, which the operator holds. */
function keys(): { readonly guardian: Hex; readonly minter: Hex } {
  return JSON.parse(readFileSync(join(venue.data, 'settlement/keys.json'), 'utf8'));
}

function sender(key: Hex) {
  const url = chain.reader.chain?.rpcUrls.default.http[0] ?? '';
  const rpcUrls = { default: { http: [url] } };
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
  const id = chain.reader.chain?.id ?? 0;
  const here = defineChain({ id, name: 'settlement', nativeCurrency, rpcUrls });
  return createWalletClient({ account: privateKeyToAccount(key), chain: here, transport: http() });
}

beforeAll(async () => {
  venue = await Venue.start(FLAGS);
  chain = await chainOf(venue.url);
  // This transaction comes before those of the venue, because the venue uses the same key and
  // counts its transactions.
  await sender(keys().minter).writeContract({
    address: chain.token,
    abi: TEST_USDC_ABI,
    functionName: 'blacklist',
    args: [refused],
  });
});

afterAll(async () => {
  expect(venue.faults()).toEqual([]);
  await venue.remove();
});

/** Returns a user with 300,000 USDC at the venue. */
async function rich() {
  const wallet = privateKeyWallet(generatePrivateKey());
  await post(venue.url, '/request-fund', { user: wallet.address });
  const user = wallet.address;
  const client = () => createClient({ url: venue.url, wallet });
  return {
    user,
    client,
    withdraw: (destination: Hex, amount: string) =>
      client().exchange.withdraw3({ destination, amount }, confirm),
    rows: () => client().info.withdrawals({ user }),
    row: async () => (await client().info.withdrawals({ user }))[0]!,
    money: async () => {
      const { data } = await post(venue.url, '/info', { type: 'clearinghouseState', user });
      return data as Json;
    },
    ledger: async () => {
      const rows = await client().info.userNonFundingLedgerUpdates({ user });
      return rows.map(({ delta }) => delta).filter(({ type }) => type === 'withdraw');
    },
  };
}

type Rich = Awaited<ReturnType<typeof rich>>;

async function becomes(user: Rich, status: string, timeout = 20_000): Promise<void> {
  await expect.poll(async () => (await user.row()).status, { timeout }).toBe(status);
}

const hold = async (user: Rich): Promise<number> => {
  const { accountValuePlusWithdrawHold, marginSummary } = await user.money();
  return Number(accountValuePlusWithdrawHold) - Number(marginSummary.accountValue);
};

async function guardian(functionName: 'pause' | 'unpause' | 'cancelQueued', id?: number) {
  const at = { address: chain.bridge, abi: BRIDGE_ABI } as const;
  const by = sender(keys().guardian);
  const sent =
    functionName === 'cancelQueued'
      ? by.writeContract({ ...at, functionName, args: [BigInt(id ?? 0)] })
      : by.writeContract({ ...at, functionName });
  await chain.reader.waitForTransactionReceipt({ hash: await sent });
}

async function operations(): Promise<Json> {
  return (await (await fetch(`${venue.operations}/settlement`)).json()) as Json;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${venue.operations}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

describe('R-withdraw: a withdrawal is paid on the settlement chain', () => {
  test('a withdrawal pays the exact amount minus the fee, releases the held amount, and updates the rows', async () => {
    const user = await rich();
    const destination = fundedUser();
    await user.withdraw(destination, '25.500001');
    await becomes(user, 'confirmed');
    expect(await chain.balanceOf(destination)).toBe(usdc('25.400001'));
    expect(await hold(user)).toBe(0);
    const { withdrawable } = await user.money();
    expect(withdrawable).toBe('299974.499999');
    const row = await user.row();
    expect(row).toMatchObject({ destination, amount: '25.500001', fee: '0.1', error: null });
    expect(row.updateTime).toBeGreaterThanOrEqual(row.time);
    const receipt = await chain.reader.getTransactionReceipt({ hash: row.txHash as Hex });
    expect(receipt).toMatchObject({ status: 'success', to: chain.bridge });
    expect(await user.ledger()).toMatchObject([{ amount: '25.500001', status: 'completed' }]);
  });

  test('the program in the guide shows each step of a withdrawal', async () => {
    const text = readFileSync(join(REPOSITORY, 'docs/trade/withdrawals.md'), 'utf8');
    const program = /^```js\n([^]*?)^```$/m.exec(text)?.[1] ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'oddlot-guide-'));
    try {
      await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'withdraw.mjs'), program);
      const env = { ...process.env, ODDLOT_URL: venue.url };
      const { stdout } = await promisify(execFile)(NODE, ['withdraw.mjs'], { cwd: folder, env });
      const lines = stdout.trim().split('\n');
      expect(lines.at(-1)).toMatch(/^confirmed 25 0\.1 0x[0-9a-f]{64}$/);
      for (const line of lines) expect(line).toMatch(/^(?:held|signed|sent|confirmed) 25 0\.1 /);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('a withdrawal waits while the bridge is paused, reports this, and resumes automatically', async () => {
    const user = await rich();
    const destination = fundedUser();
    await guardian('pause');
    for (const amount of ['3', '4', '5']) await user.withdraw(destination, amount);
    const paused = 'The bridge is paused';
    await expect.poll(async () => (await user.row()).error, { timeout: 60_000 }).toBe(paused);
    expect((await user.row()).status).toBe('held');
    expect(await hold(user)).toBe(12);
    expect((await operations()).payouts).toMatchObject({
      open: 3,
      troubled: [{ error: paused }, {}, {}],
    });
    expect(await metric('oddlot_withdrawals_open')).toBe(3);
    expect(await metric('oddlot_withdrawals_troubled')).toBe(3);
    await guardian('unpause');
    await becomes(user, 'confirmed');
    await expect.poll(() => chain.balanceOf(destination), { timeout: 60_000 }).toBe(usdc('11.7'));
    await expect.poll(() => metric('oddlot_withdrawals_open')).toBe(0);
  });

  test('a withdrawal is returned in full, with the reason, if the token rejects the destination', async () => {
    const user = await rich();
    await user.withdraw(refused, '40');
    await becomes(user, 'returned', 30_000);
    const { withdrawable } = await user.money();
    expect(withdrawable).toBe('300000');
    expect(await hold(user)).toBe(0);
    const row = await user.row();
    expect(row.error).toBe('The token rejects transfers to this destination');
    const { logs } = await chain.reader.getTransactionReceipt({ hash: row.txHash as Hex });
    expect(logs.map(({ address }) => address)).toEqual([chain.bridge]);
    expect(await user.ledger()).toMatchObject([{ amount: '40', status: 'failed' }]);
    const id = BigInt(row.id);
    const at = { address: chain.bridge, abi: BRIDGE_ABI } as const;
    expect(await chain.reader.readContract({ ...at, functionName: 'stateOf', args: [id] })).toBe(3);
  });

  test.each([
    ['to the bridge', () => chain.bridge, '5', 'Invalid address'],
    ['to the token', () => chain.token, '5', 'Invalid address'],
    ['below the minimum', fundedUser, '1.999999', 'Below minimum withdraw amount'],
    ['of more than the balance', fundedUser, '300000.000001', 'Insufficient balance'],
  ])('a withdrawal is rejected %s', async (_, destination, amount, message) => {
    const user = await rich();
    await expect(user.withdraw(destination(), amount)).rejects.toMatchObject({ message });
    expect(await user.rows()).toEqual([]);
    expect(await hold(user)).toBe(0);
  });
});

test('R-withdraw: large payouts wait for their delay or the guardian, even through kills', async () => {
  const [large, cancelled] = [await rich(), await rich()];
  const destination = fundedUser();
  await large.withdraw(destination, '150000');
  await cancelled.withdraw(destination, '200000');
  const waits = expect.stringMatching(/^Large payouts are delayed: this one is payable at 20.*Z$/);
  for (const user of [large, cancelled]) {
    await expect
      .poll(() => user.row(), { timeout: 60_000 })
      .toMatchObject({ status: 'sent', error: waits });
  }
  expect((await operations()).payouts.troubled).toEqual([]);
  expect(await chain.balanceOf(destination)).toBe(0n);
  await guardian('cancelQueued', (await cancelled.row()).id);
  await becomes(cancelled, 'returned');
  expect((await cancelled.row()).error).toBe('The payout was cancelled on the bridge');
  expect((await cancelled.money()).withdrawable).toBe('300000');

  const killed = await rich();
  const to = fundedUser();
  const moments = sampledCases([0, 60, 180, 400], 2, seededRandom(freshSeed('WITHDRAWALS_SEED')));
  for (const [round, waitMs] of moments.entries()) {
    await killed.withdraw(to, '10');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await venue.kill();
    await venue.startAgain();
    chain = await chainOf(venue.url);
    await becomes(killed, 'confirmed');
    expect(await chain.balanceOf(to)).toBe(usdc('9.9') * BigInt(round + 1));
  }
  expect((await killed.money()).withdrawable).toBe(String(300_000 - 10 * moments.length));
  await becomes(large, 'confirmed', 40_000);
  expect(await chain.balanceOf(destination)).toBe(usdc('149999.9'));
  expect((await large.row()).error).toBeNull();
  await expect.poll(() => metric('oddlot_withdrawals_open')).toBe(0);
  await expect.poll(() => metric('oddlot_settlement_relayer_ether')).toBeGreaterThan(0);
  expect((await operations()).vitals).toMatchObject({ isPaused: false });
  const owed = await metric('oddlot_settlement_owed_usdc');
  await expect
    .poll(async () => Number(await chain.balanceOf(chain.bridge)) / 1e6, { timeout: 60_000 })
    .toBeCloseTo(owed, 6);
});
