import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, privateKeyWallet, type ReservesProof } from '@oddlot/sdk';
import { parseUnits, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chain, chainOf, post, fundedOnChain } from '../support/chain.ts';
import { FIXED_PRICE_FLAGS, NODE, REPOSITORY, Venue } from '../support/venue-process.ts';

const EVERY_MS = 1_000;
const WAIT = { timeout: 60_000, interval: 200 };

let venue: Venue;
let chain: Chain;

beforeAll(async () => {
  const often = ['--reserves-every-ms', String(EVERY_MS)];
  venue = await Venue.start([...FIXED_PRICE_FLAGS, '--chain', 'local', ...often]);
  chain = await chainOf(venue.url);
});

afterAll(async () => {
  expect(venue.faults()).toEqual([]);
  expect(venue.stderr).not.toContain('reserves could not be determined');
  await venue.remove();
});

const client = () => createClient({ url: venue.url }).info;
const usdc = (amount: string): bigint => parseUnits(amount, 6);

/** Polls until the address has a proof with this amount. */
async function proven(user: Hex, amount: string, keptAside?: string): Promise<ReservesProof> {
  let proof: ReservesProof | null = null;
  // A publication may fall between the blocks of two deposits.
  await expect
    .poll(async () => {
      proof = await client().reservesProof({ user });
      const isAside = keptAside === undefined || proof?.published.keptAside === keptAside;
      return isAside ? proof?.amount : undefined;
    }, WAIT)
    .toBe(amount);
  return proof as unknown as ReservesProof;
}

/**
 * Runs the stand-alone verifier in a separate process. `lines` has the findings, and `why` the
 * error message.
 */
async function verify(
  args: readonly string[],
): Promise<{ code: number; lines: string[]; why: string }> {
  const script = join(REPOSITORY, 'packages/cli/src/verify/verify-reserves.ts');
  try {
    const { stdout } = await promisify(execFile)(NODE, [script, ...args], { cwd: tmpdir() });
    return { code: 0, lines: linesOf(stdout), why: '' };
  } catch (error) {
    const { code, stderr, stdout } = error as {
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    };
    return { code, lines: linesOf(stdout), why: stderr.trim() };
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

test('R-conservation: reserves are published from the first minute in which the bridge covers the liabilities', async () => {
  await expect.poll(async () => (await client().reserves()).published, WAIT).not.toBeNull();
  const { chain: where, current, published } = await client().reserves();
  expect(where).toEqual({ chainId: 421_614, bridge: chain.bridge, token: chain.token });
  expect(published).toMatchObject({ difference: '0', shortfall: '0', unbacked: '0' });
  expect(published?.liabilities).toBe(published?.owed);
  expect(current).toMatchObject({ difference: '0' });
});

test('reserves list deposits, test funds and uncredited deposits separately, with valid user proofs', async () => {
  const account = await fundedOnChain(venue.url);
  const wallet = chain.wallet(account);
  const user = account.address.toLowerCase() as Hex;
  await wallet.transfer(chain.bridge, usdc('12.345678'));
  const small = await fundedOnChain(venue.url);
  await chain.wallet(small).transfer(chain.bridge, usdc('0.5'));
  const granted = await post(venue.url, '/request-fund', { user: `0x${'5e'.repeat(20)}` });
  expect(granted).toMatchObject({ success: true });
  const proof = await proven(user, '12.345678', '0.5');
  expect(proof.parts).toEqual({
    perp: '12.345678',
    outcome: '0',
    withdrawHold: '0',
    rewards: '0',
  });
  expect(proof.published).toMatchObject({ keptAside: '0.5', difference: '0' });

  const { blockNumber, root } = proof.published;
  const held = await chain.reader.readContract({
    address: chain.token,
    abi: [
      {
        type: 'function',
        name: 'balanceOf',
        stateMutability: 'view',
        inputs: [{ name: 'owner', type: 'address' }],
        outputs: [{ type: 'uint256' }],
      },
    ],
    functionName: 'balanceOf',
    args: [chain.bridge],
    blockNumber: BigInt(blockNumber),
  });
  expect(held).toBe(usdc(proof.published.balance));

  const folder = await mkdtemp(join(tmpdir(), 'oddlot-proof-'));
  const file = join(folder, 'proof.json');
  const { settlement_rpc_url: rpc } = await createClient({ url: venue.url }).info.settings();
  const known = ['--user', user, '--root', root, '--bridge', chain.bridge, '--token', chain.token];
  const args = ['--proof', file, ...known, '--rpc', String(rpc)];
  await writeFile(file, JSON.stringify(proof));
  const right = await verify(args);
  expect(right.lines.filter((line) => !line.startsWith('agree '))).toEqual([]);
  expect(right.code).toBe(0);
  await writeFile(file, JSON.stringify({ ...proof, amount: '12.345677' }));
  expect((await verify(args)).code).toBe(1);
  await rm(folder, { recursive: true });
});

test('a withdrawal remains a liability until it is paid, and assets always cover liabilities', async () => {
  const wallet = privateKeyWallet(generatePrivateKey());
  const user = wallet.address as Hex;
  const destination = privateKeyToAccount(generatePrivateKey()).address.toLowerCase();
  await post(venue.url, '/request-fund', { user });
  const own = createClient({ url: venue.url, wallet });
  await own.exchange.withdraw3({ destination, amount: '400' }, { confirm: 'executed' });
  const seen: string[] = [];
  await expect
    .poll(
      async () => {
        const { current, published } = await client().reserves();
        seen.push(`${current?.difference} ${published?.difference}`);
        return (await own.info.withdrawals({ user }))[0]?.status;
      },
      { ...WAIT, interval: 20 },
    )
    .toBe('confirmed');
  expect([...new Set(seen)]).toEqual(['0 0']);
  expect(await chain.balanceOf(destination as Hex)).toBe(usdc('399.9'));
  const { parts } = await proven(user, '600');
  expect(parts.withdrawHold).toBe('0');
});

test('an address without an account is not in any tree, and an invalid address returns an error', async () => {
  const outsider = `0x${'77'.repeat(20)}`;
  expect(await client().reservesProof({ user: outsider })).toBeNull();
  expect(await verify(['--url', venue.url, '--user', outsider])).toEqual({
    code: 2,
    lines: [],
    why: `${outsider} is not included in the published reserves`,
  });
  const refused = await post(venue.url, '/info', { type: 'reservesProof', user: '0x12' });
  expect(refused).toMatchObject({ status: 400, message: 'Wrong type for user' });
});

test('the commands in docs/verify/proof-of-reserves.md print the documented output', async () => {
  const guide = await readFile(join(REPOSITORY, 'docs', 'verify', 'proof-of-reserves.md'), 'utf8');
  const blocksOf = (language: string): string =>
    [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))]
      .map((match) => match[1] ?? '')
      .join('');
  const program = blocksOf('ts').replaceAll('http://127.0.0.1:8690', venue.url);
  const run = ['--input-type=module-typescript', '--eval', program];
  const { stdout } = await promisify(execFile)(NODE, run, { cwd: REPOSITORY, timeout: 60_000 });
  expect(stdout).toBe(blocksOf('text'));
});

test('a restarted venue still has the published tree and publishes the next one on time', async () => {
  const account = await fundedOnChain(venue.url);
  const user = account.address.toLowerCase() as Hex;
  await chain.wallet(account).transfer(chain.bridge, usdc('7'));
  const before = await proven(user, '7');
  await venue.kill();
  await venue.startAgain();
  const after = await proven(user, '7');
  expect(after.published.height).toBeGreaterThanOrEqual(before.published.height);
  await expect
    .poll(async () => (await client().reserves()).published?.height ?? 0, WAIT)
    .toBeGreaterThan(before.published.height);
  expect((await client().reserves()).published).toMatchObject({ difference: '0' });
});
