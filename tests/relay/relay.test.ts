import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, createRelayClient, privateKeyWallet, type RelayTransfer } from '@oddlot/sdk';
import { ethers } from 'ethers';
import { type Hex, parseUnits } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post, fundedOnChain } from '../support/chain.ts';
import type { Json } from '../support/client.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { type RelayView, relayOf, startRelay } from '../support/relay.ts';
import { seededRandom } from '../support/seeded.ts';
import { FIXED_PRICE_FLAGS, temporaryData, Venue } from '../support/venue-process.ts';

let venue: Venue;
let relay: RelayView;

beforeAll(async () => {
  venue = await Venue.start([...FIXED_PRICE_FLAGS, '--chain', 'local', '--relay']);
  relay = await relayOf(venue.url);
});

afterAll(async () => {
  await venue.remove();
});

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const info = (body: object) => post(venue.url, '/info', body);
const WAIT = { timeout: 60_000, interval: 200 };
const INTO = { srcChain: 'base', dstChain: 'oddlot', asset: 'USDC' } as const;
const OUT = { srcChain: 'oddlot', dstChain: 'base', asset: 'USDC' } as const;
const fundedUser = (): Hex =>
  privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex;

async function perpOf(user: string): Promise<string> {
  const { data } = await info({ type: 'clearinghouseState', user });
  return data.withdrawable as string;
}

/** Returns the address at which the venue's relay holds its money. */
function ownAddress(): Hex {
  const words = readFileSync(join(venue.data, 'relay', 'seed'), 'utf8').trim();
  return mnemonicToAccount(words).address.toLowerCase() as Hex;
}

/** Waits until a user's transfer has a given status. */
async function become(user: string, status: string, id: string): Promise<RelayTransfer> {
  let found: RelayTransfer | undefined;
  const look = async (): Promise<string | undefined> => {
    const { items } = await relay.client.transfers({ user }).catch(() => ({ items: [] }));
    found = items.find((each) => each.id === id);
    return found?.status;
  };
  await expect.poll(look, WAIT).toBe(status);
  return found!;
}

const send = (key: Hex, destination: string, amount: string) =>
  createClient({ url: venue.url, wallet: privateKeyWallet(key) }).exchange.sendTo({
    destination,
    amount,
  });

test('R-deposit: the exact amount moves from the second chain to the venue and back through a relay withdrawal address', async () => {
  const { account, key } = await relay.rich();
  const user = account.address.toLowerCase() as Hex;
  const base = await relay.chain('base');
  const given = await relay.client.depositAddress({ ...INTO, dstAddr: user });
  expect(given).toMatchObject({ status: 'waiting', fee: '0.1', minAmount: '5.1', dstAddr: user });
  const srcTxHash = await base.wallet(account).transfer(given.address as Hex, usdc('100.25'));
  const deposit = await become(user, 'completed', given.id);
  expect(deposit).toMatchObject({ direction: 'deposit', amount: '100.25', fee: '0.1', srcTxHash });
  await expect.poll(() => perpOf(user), WAIT).toBe('100.15');
  const { data } = await info({ type: 'userNonFundingLedgerUpdates', user });
  expect(data[0]).toMatchObject({ hash: deposit.dstTxHash, delta: { amount: '100.15' } });
  // The money sent to the one-time address now belongs to the relay.
  await expect.poll(() => base.balanceOf(given.address as Hex), WAIT).toBe(0n);

  const receiver = fundedUser();
  const peg = await relay.client.pegAddress({ ...OUT, dstAddr: receiver });
  await send(key, peg.pegAddress, '60.000001');
  const back = await become(user, 'completed', peg.id);
  expect(back).toMatchObject({ direction: 'withdraw', amount: '60.000001', fee: '0.1' });
  expect(await base.balanceOf(receiver)).toBe(usdc('59.900001'));
  expect(await perpOf(user)).toBe('40.149999');
  await expect.poll(() => perpOf(peg.pegAddress), WAIT).toBe('0');

  // The settlement chain is a destination like any other chain.
  const near = await relay.client.pegAddress({ ...OUT, dstChain: 'arbitrum', dstAddr: receiver });
  await send(key, near.pegAddress, '10');
  await become(user, 'completed', near.id);
  expect(await (await relay.chain('arbitrum')).balanceOf(receiver)).toBe(usdc('9.9'));
});

test('amounts below the minimum add up, an address can be paid more than once, and ethers can pay too', async () => {
  const { key } = await relay.rich();
  const user = fundedUser();
  const base = await relay.chain('base');
  const { address, id } = await relay.client.depositAddress({
    ...INTO,
    dstAddr: user,
    accountType: 'outcome',
  });
  const rpc = new ethers.JsonRpcProvider(
    base.reader.chain?.rpcUrls.default.http[0],
    undefined,
    // Without this, the library would serve a second request for the nonce from its cache.
    { cacheTimeout: -1 },
  );
  const abi = ['function transfer(address to, uint256 amount) returns (bool)'];
  const token = new ethers.Contract(base.token, abi, new ethers.Wallet(key, rpc));
  const pay = async (amount: string): Promise<void> => {
    const sent = (await token['transfer']!(address, usdc(amount))) as { wait(): Promise<unknown> };
    await sent.wait();
  };
  await pay('3');
  await expect.poll(async () => (await become(user, 'waiting', id)).amount, WAIT).toBe('3');
  await pay('4.5');
  await become(user, 'completed', id);
  await pay('8');
  await become(user, 'completed', `${id}-2`);
  rpc.destroy();
  // A transfer for the outcome sub-account is forwarded within the venue.
  const { data } = await info({ type: 'userNonFundingLedgerUpdates', user });
  expect(
    (data as Json[]).map((row) => [row.delta.type, row.delta.toAccountType, row.delta.amount]),
  ).toEqual([
    ['receive', 'outcome', '7.9'],
    ['receive', 'outcome', '7.4'],
  ]);
});

/** The times of the two kills: one during the deposit and one during the withdrawal. */
const SEED = freshSeed('CRASH_SEED');
const moments = sampledCases(['under way', 'done'], 1, seededRandom(SEED));

test(`every transfer arrives once despite kills of the relay and the venue (${moments.join(' and ')}, CRASH_SEED=${SEED})`, async () => {
  const relayPid = (): number =>
    Number(
      execFileSync('pgrep', ['-P', String(venue.pid)])
        .toString()
        .trim()
        .split('\n')[0],
    );
  const killRelay = async (): Promise<void> => {
    process.kill(relayPid(), 'SIGKILL');
    relay = await relayOf(venue.url);
  };
  const killVenue = async (): Promise<void> => {
    const orphan = relayPid();
    await venue.kill();
    const hasExited = (): boolean => {
      try {
        return /^State:\s+[ZX]/m.test(execFileSync('cat', [`/proc/${orphan}/status`]).toString());
      } catch {
        return true;
      }
    };
    await expect.poll(hasExited, WAIT).toBe(true);
    await venue.startAgain();
    relay = await relayOf(venue.url);
  };
  const { account, key } = await relay.rich();
  const user = account.address.toLowerCase() as Hex;
  const receiver = fundedUser();
  const given = await relay.client.depositAddress({ ...INTO, dstAddr: user });
  await (await relay.chain('base')).wallet(account).transfer(given.address as Hex, usdc('50'));
  if (moments.includes('under way')) await killRelay();
  await become(user, 'completed', given.id);
  if (moments.includes('done')) await killVenue();
  await expect.poll(() => perpOf(user), WAIT).toBe('49.9');
  const peg = await relay.client.pegAddress({ ...OUT, dstAddr: receiver });
  await send(key, peg.pegAddress, '20');
  if (moments.includes('under way')) await killVenue();
  await become(user, 'completed', peg.id);
  if (moments.includes('done')) await killRelay();
  const base = await relay.chain('base');
  expect(await base.balanceOf(receiver)).toBe(usdc('19.9'));
  await expect.poll(() => perpOf(peg.pegAddress), WAIT).toBe('0');
  await expect.poll(() => base.balanceOf(given.address as Hex), WAIT).toBe(0n);
  expect(await perpOf(user)).toBe('29.9');
  expect(await relay.client.transfers({ user })).toMatchObject({ total: 2 });
  // No address is issued twice.
  const next = await relay.client.depositAddress({ ...INTO, dstAddr: user });
  expect(next.address).not.toBe(given.address);
}, 180_000);

test("an operator's own relay waits for funds, reports this, and continues once it has some", async () => {
  const arbitrum = await relay.chain('arbitrum');
  const rpc = arbitrum.reader.chain?.rpcUrls.default.http[0];
  const data = await temporaryData();
  const config = join(data, 'relay.toml');
  await writeFile(config, `[[chains]]\nname = "arbitrum"\nrpc = ["${rpc}"]\nconfirmations = 1\n`);
  const venueFlags = [
    '--venue',
    venue.url,
    '--operations',
    venue.operations,
    '--log-level',
    'silent',
  ];
  const named = ['--service-network', 'Oddlot-Testnet', '--seed', 'env:WORDS'];
  const own = ['--config', config, '--data', data, ...named, '--port', '0'];
  const WORDS = `${'test '.repeat(11)}junk`;
  const other = await startRelay([...own, ...venueFlags], { WORDS });
  try {
    const into = { srcChain: 'arbitrum', dstChain: 'oddlot', asset: 'USDC' } as const;
    const client = createRelayClient({ url: other.url });
    const rich = await fundedOnChain(venue.url);
    const user = fundedUser();
    const { address } = await client.depositAddress({ ...into, dstAddr: user });
    await arbitrum.wallet(rich).transfer(address as Hex, usdc('30'));
    const look = async () => (await client.transfers({ user })).items[0];
    const trouble = 'Waiting for the relay to be funded on the other chain';
    await expect.poll(look, WAIT).toMatchObject({ status: 'relaying', trouble });
    // This venue does not use this relay, so the relay does not issue withdrawal addresses.
    const peg = client.pegAddress({ ...OUT, dstChain: 'arbitrum', dstAddr: user });
    await expect(peg).rejects.toMatchObject({ name: 'UNAVAILABLE', httpStatus: 503 });
    await post(venue.url, '/request-fund', { user: other.address, onChain: true });
    await expect.poll(look, WAIT).toMatchObject({ status: 'completed' });
    await expect.poll(() => perpOf(user), WAIT).toBe('29.9');
  } finally {
    await other.end();
  }
});

describe('the relay rejects invalid requests', () => {
  const dstAddr = `0x${'1'.repeat(40)}`;
  const into = { ...INTO, dstAddr };
  const out = { ...OUT, dstAddr };
  test.each<[string, string, object | string, number, string]>([
    [
      'an unknown chain',
      'deposit-address',
      { ...into, srcChain: 'moon' },
      10002,
      'Invalid srcChain: unknown chain',
    ],
    [
      'a chain that is only listed',
      'deposit-address',
      { ...into, srcChain: 'Solana' },
      10002,
      'Invalid srcChain: solana is not available on this relay',
    ],
    [
      'another destination',
      'deposit-address',
      { ...into, dstChain: 'base' },
      10002,
      'Invalid dstChain: must be oddlot',
    ],
    ['another asset', 'deposit-address', { ...into, asset: 'ETH' }, 10002, 'Wrong type for asset'],
    ['no address', 'deposit-address', INTO, 10002, 'Missing field: dstAddr'],
    [
      'a wrong address',
      'deposit-address',
      { ...into, dstAddr: '0x12' },
      10002,
      'Wrong type for dstAddr',
    ],
    [
      'the zero address',
      'deposit-address',
      { ...into, dstAddr: `0x${'0'.repeat(40)}` },
      10014,
      'Invalid address',
    ],
    [
      'a wrong sub-account',
      'deposit-address',
      { ...into, accountType: 'spot' },
      10002,
      'Wrong type for accountType',
    ],
    ['no object', 'deposit-address', '[]', 10002, 'The body is not a JSON object'],
    [
      'a withdrawal address of another chain',
      'peg-address',
      { ...out, srcChain: 'base' },
      10002,
      'Invalid srcChain: must be oddlot',
    ],
    [
      'a withdrawal address for an invalid receiver',
      'peg-address',
      { ...out, dstAddr: 'somewhere' },
      10014,
      'Invalid address',
    ],
    [
      'a peg to a chain that is only listed',
      'peg-address',
      { ...out, dstChain: 'polygon' },
      10002,
      'Invalid dstChain: polygon is not available on this relay',
    ],
    [
      'test money elsewhere',
      'request-fund',
      { chain: 'arbitrum', user: dstAddr },
      10002,
      'Invalid chain: has no faucet on this relay',
    ],
  ])('the relay rejects %s', async (_, path, body, code, message) => {
    const response = await fetch(`${relay.url}/api/v1/bridge/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ success: false, code, message });
  });

  test.each<[string, number, number, string]>([
    ['transfers', 400, 10002, 'Missing field: user'],
    ['transfers?user=0x12', 400, 10002, 'Wrong type for user'],
    [`transfers?user=${dstAddr}&page=-1`, 400, 10002, 'Wrong type for page'],
    [`transfers?user=${dstAddr}&pageSize=0`, 400, 10000, 'Invalid limit'],
    [`transfers?user=${dstAddr}&user=${dstAddr}`, 400, 10002, 'Duplicate key: user'],
    ['nothing', 404, 10404, 'Not found'],
  ])('the relay rejects GET %s', async (path, status, code, message) => {
    const response = await fetch(`${relay.url}/api/v1/bridge/${path}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ success: false, code, message });
  });

  test("R-agents: an account's agent key is rejected as a receiver", async () => {
    const owner = generatePrivateKey();
    const wallet = privateKeyWallet(owner);
    await post(venue.url, '/request-fund', { user: wallet.address });
    const agentAddress = fundedUser();
    const { exchange } = createClient({ url: venue.url, wallet });
    await exchange.approveAgent({ agentAddress, agentName: 'bot' });
    const answer = await post(relay.url, '/api/v1/bridge/deposit-address', {
      ...INTO,
      dstAddr: agentAddress,
    });
    expect(answer).toMatchObject({ status: 400, code: 10002, name: 'BAD_REQUEST' });
  });

  test("R-transfer: a contract or one of the relay's addresses is rejected as a receiver", async () => {
    const { data } = await info({ type: 'settings' });
    const given = await relay.client.depositAddress(into as typeof INTO & { dstAddr: string });
    const peg = await relay.client.pegAddress(out as typeof OUT & { dstAddr: string });
    const second = await relay.chain('base');
    const contracts = [data.bridge2_contract_address, data.usdc_contract_address, second.token];
    const addresses = [...contracts, given.address, peg.pegAddress, ownAddress()] as string[];
    const invalid = { status: 400, code: 10014, message: 'Invalid address' };
    for (const each of addresses) {
      const ends = [
        ['peg-address', { ...OUT, dstChain: 'arbitrum' }],
        ['peg-address', OUT],
        ['deposit-address', INTO],
      ] as const;
      for (const [path, end] of ends) {
        const body = { ...end, dstAddr: each };
        expect(await post(relay.url, `/api/v1/bridge/${path}`, body)).toMatchObject(invalid);
      }
    }
  });

  test("R-agents: a relay withdrawal address and the relay's own address are rejected as agents", async () => {
    const wallet = privateKeyWallet(generatePrivateKey());
    await post(venue.url, '/request-fund', { user: wallet.address });
    const { exchange } = createClient({ url: venue.url, wallet });
    const peg = await relay.client.pegAddress({ ...OUT, dstAddr: fundedUser() });
    for (const agentAddress of [peg.pegAddress, ownAddress()]) {
      const bound = exchange.approveAgent({ agentAddress, agentName: 'mine' });
      await expect(bound).rejects.toMatchObject({ message: 'Agent address is already used' });
    }
  });

  test('unsupported methods and bodies are rejected', async () => {
    const path = `${relay.url}/api/v1/bridge/deposit-address`;
    expect((await fetch(path)).status).toBe(405);
    const long = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '' };
    const body = JSON.stringify({ ...into, junk: 'x'.repeat(70_000) });
    expect((await fetch(path, { ...long, body })).status).toBe(413);
    expect(
      (await fetch(path, { ...long, headers: { 'content-type': 'text/plain' }, body: '{}' }))
        .status,
    ).toBe(415);
  });

  test('withdrawal addresses not signed by the relay are rejected', async () => {
    const signature = `0x${'1'.repeat(130)}`;
    const answer = await post(venue.operations, '/pegs', { addresses: [dstAddr], signature });
    expect(answer).toMatchObject({ status: 403, success: false, name: 'UNAUTHORIZED' });
  });
});

test('the chains are listed with their terms, starting with the settlement chain', async () => {
  const rows = await relay.client.chains();
  expect(rows.map(({ chain, enabled, withdrawFee }) => [chain, enabled, withdrawFee])).toEqual([
    ['arbitrum', true, '0.1'],
    ['base', true, '0.1'],
    ['polygon', false, '0.1'],
    ['ethereum', false, '0.5'],
    ['solana', false, '0.3'],
  ]);
});
