import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import { createClient, privateKeyWallet } from '@oddlot/sdk';
import { createWalletClient, defineChain, type Hex, http, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chain, chainOf, post } from '../support/chain.ts';
import type { Json } from '../support/client.ts';
import { CALM, Venue } from '../support/venue-process.ts';

/** Money out of the venue: from a signed request to a balance on the settlement chain. */

const FLAGS = [
  ...CALM,
  '--chain',
  'local',
  '--faucet-usdc',
  '300000',
  '--payout-patience-ms',
  '1000',
];
const usdc = (amount: string): bigint => parseUnits(amount, 6);
const confirm = { confirm: 'executed' } as const;
const somebody = (): Hex => privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex;

let venue: Venue;
let chain: Chain;
const refused = somebody();

/** Keys of the local chain, as its operator has them. */
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
  // Before the venue itself mints: the key is its own, and counts its transactions.
  await sender(keys().minter).writeContract({
    address: chain.token,
    abi: TEST_USDC_ABI,
    functionName: 'blacklist',
    args: [refused],
  });
}, 60_000);

afterAll(async () => {
  expect(venue.faults()).toEqual([]);
  await venue.remove();
});

/** Somebody with 300,000 USDC in the venue. */
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
  const { marginSummary } = await user.money();
  return Number(marginSummary.accountValuePlusWithdrawHold) - Number(marginSummary.accountValue);
};

describe('R-withdraw: money that leaves', () => {
  test('arrives to the unit less the fee; the hold is gone and the rows say how', async () => {
    const user = await rich();
    const destination = somebody();
    await user.withdraw(destination, '25.5');
    expect((await user.rows()).length).toBe(1);
    await becomes(user, 'confirmed');
    expect(await chain.balanceOf(destination)).toBe(usdc('25.4'));
    expect(await hold(user)).toBe(0);
    const { withdrawable } = await user.money();
    expect(withdrawable).toBe('299974.5');
    const row = await user.row();
    expect(row).toMatchObject({ destination, amount: '25.5', fee: '0.1', error: null });
    expect(row.updateTime).toBeGreaterThanOrEqual(row.time);
    const receipt = await chain.reader.getTransactionReceipt({ hash: row.txHash as Hex });
    expect(receipt).toMatchObject({ status: 'success', to: chain.bridge });
    expect(await user.ledger()).toMatchObject([{ amount: '25.5', status: 'completed' }]);
  });
});
