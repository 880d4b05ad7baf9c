import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatMoney } from '@oddlot/units';
import fc from 'fast-check';
import { keccak256 as reference } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { testAddress, Trees, venueOf } from '../support/venue/trees.ts';
import {
  checkProof,
  keccak256,
  type Proof,
  runVerifyReserves,
} from '../../packages/cli/src/verify/verify-reserves.ts';

/** Runs the stand-alone verifier on valid and forged trees from the real engine. */

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 8);

let trees: Trees;
const folder = mkdtempSync(join(tmpdir(), 'oddlot-verify-'));
const running: { close(): void }[] = [];

beforeAll(async () => {
  trees = await Trees.create();
});

afterEach(() => {
  for (const each of running.splice(0)) each.close();
});

afterAll(() => {
  rmSync(trees.folder, { recursive: true });
  rmSync(folder, { recursive: true });
});

/** Returns the proof for a venue whose assets equal its liabilities. */
async function proofOf(amounts: readonly number[], nth: number): Promise<Proof> {
  const height = 12;
  const state = venueOf(amounts);
  const tree = await trees.build(state, height);
  const user = testAddress(nth);
  const found = await trees.proof(user, height);
  if (typeof found !== 'object') throw new Error('no proof');
  const [perp = 0n, outcome = 0n, withdrawHold = 0n, rewards = 0n] = found.parts;
  const all = formatMoney(tree.liabilities);
  return {
    chain: { chainId: 421_614, bridge: testAddress(0xb1), token: testAddress(0xb2) },
    published: {
      height,
      time: 1,
      owed: all,
      blockNumber: 33,
      balance: formatMoney(tree.liabilities + 7n),
      keptAside: formatMoney(7),
      assets: all,
      unsettled: '0',
      unbacked: '0',
      difference: '0',
      root: tree.root,
      leaves: tree.leaves,
      liabilities: all,
      shortfall: '0',
    },
    user,
    amount: formatMoney(perp + outcome + withdrawHold + rewards),
    parts: {
      perp: formatMoney(perp),
      outcome: formatMoney(outcome),
      withdrawHold: formatMoney(withdrawHold),
      rewards: formatMoney(rewards),
    },
    salt: found.salt,
    index: found.index,
    siblings: found.siblings.map(({ hash, sum }) => ({ hash, sum: formatMoney(sum) })),
  };
}

function holds(proof: Proof): boolean {
  try {
    return checkProof(proof).every(({ agrees }) => agrees);
  } catch {
    return false;
  }
}

test('the stand-alone Keccak equals the standard implementation', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, (input) => {
      expect(`0x${keccak256(input).toString('hex')}`).toBe(reference(input));
    }),
    { numRuns: RUNS, examples: [[new Uint8Array(135)], [new Uint8Array(136)], [new Uint8Array()]] },
  );
});

/** Yields proofs in which one number is off by one or one hash has been changed. */
function* changes(proof: Proof): Iterable<Proof> {
  const { published, siblings } = proof;
  for (const by of [1, -1]) {
    for (const name of Object.keys(published)) {
      if (name === 'time' || name === 'blockNumber') continue;
      const value = published[name] ?? '';
      yield { ...proof, published: { ...published, [name]: moved(value, by) } } as Proof;
    }
    yield { ...proof, amount: moved(proof.amount, by) as string };
    yield { ...proof, index: proof.index + by };
    yield { ...proof, salt: moved(proof.salt, by) as string };
    yield { ...proof, user: moved(proof.user, by) as string };
    for (const [name, part] of Object.entries(proof.parts)) {
      yield { ...proof, parts: { ...proof.parts, [name]: moved(part, by) as string } };
    }
    for (const [at, sibling] of siblings.entries()) {
      const hash = moved(sibling.hash, by) as string;
      const sum = moved(sibling.sum, by) as string;
      yield { ...proof, siblings: siblings.with(at, { ...sibling, hash }) };
      yield { ...proof, siblings: siblings.with(at, { ...sibling, sum }) };
    }
  }
  yield { ...proof, siblings: siblings.slice(1) };
  yield { ...proof, siblings: siblings.slice(0, -1) };
  yield { ...proof, siblings: [...siblings, siblings[0]!] };
  if (siblings.length > 1) yield { ...proof, siblings: siblings.toReversed() };
}

/** Changes a value by one micro-USDC, by a count of one, or in one bit of a hash. */
function moved(value: string | number, by: number): string | number {
  if (typeof value === 'number') return value + by;
  if (value.startsWith('0x')) {
    const changed = BigInt(value) + BigInt(by);
    return `0x${changed.toString(16).padStart(value.length - 2, '0')}`;
  }
  const [whole = '0', fraction = ''] = value.split('.');
  return formatMoney(BigInt(whole + fraction.padEnd(6, '0')) + BigInt(by));
}

test('R-conservation: a proof is valid, and changing any number by one makes it invalid', async () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 20 });
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(amounts, fc.nat(), async (all, pick) => {
      const proof = await proofOf(all, pick % all.length);
      expect(checkProof(proof).filter(({ agrees }) => !agrees)).toEqual([]);
      for (const other of changes(proof)) {
        expect(holds(other), JSON.stringify(other)).toBe(false);
        changed += 1;
      }
    }),
    { numRuns: RUNS },
  );
  expect(changed).toBeGreaterThan(40 * RUNS);
});

test('two siblings cannot split their sum differently by using negative or excessive values', async () => {
  const proof = await proofOf([5, 6, 7, 8, 9], 2);
  const [first, second, ...rest] = proof.siblings;
  const give = (by: bigint): Proof => ({
    ...proof,
    siblings: [
      { ...first!, sum: formatMoney(moneyOf(first!.sum) + by) },
      { ...second!, sum: formatMoney(moneyOf(second!.sum) - by) },
      ...rest,
    ],
  });
  const moneyOf = (text: string): bigint => BigInt(Math.round(Number(text) * 1e6));
  expect(holds(give(0n))).toBe(true);
  for (const by of [1n, -1n, 2n ** 128n, -(2n ** 128n), 2n ** 256n, -(2n ** 256n)]) {
    expect(holds(give(by)), String(by)).toBe(false);
  }
});

async function run(args: readonly string[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await runVerifyReserves(args, (line) => lines.push(line));
  return { code, lines };
}

/** The fields of the requests that the fake venue and the fake node answer. */
type PostedRequest = { readonly method?: string; readonly type?: string; readonly before?: number };

async function serve(answer: (body: PostedRequest) => object): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => response.end(JSON.stringify(answer(JSON.parse(body)))));
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('the command prints all matching and differing values', async () => {
  const proof = await proofOf([1_000_000, 2_000_000, 3_000_000], 1);
  const file = join(folder, 'proof.json');
  writeFileSync(file, JSON.stringify({ success: true, data: proof }));
  const { root } = proof.published;
  const held = { right: '0x5b8d87', wrong: '0x5b8d80' };
  const chain = (result: string) => (body: { readonly method?: string }) => {
    return { result: body.method === 'eth_chainId' ? '0x66eee' : result };
  };
  const right = await serve(chain(held.right));
  const wrong = await serve(chain(held.wrong));
  const args = ['--user', testAddress(1), '--proof', file];

  const checked = await run([...args, '--root', root, '--rpc', right]);
  expect(checked.lines).toContain('agree   bridge balance at block 33: 6.000007');
  expect(checked.lines.filter((line) => !line.startsWith('agree '))).toEqual([]);
  expect(checked.code).toBe(0);

  const poorer = await run([...args, '--rpc', wrong]);
  expect(poorer.lines.at(-1)).toBe(
    'DIFFER  bridge balance at block 33: reported 6.000007, on the chain 6',
  );
  expect(poorer.code).toBe(1);

  const otherRoot = await run([...args, '--root', `0x${'1'.repeat(64)}`]);
  expect(otherRoot.lines.join()).toContain('DIFFER  root as specified');
  expect(otherRoot.code).toBe(1);

  const [json] = (await run([...args, '--rpc', right, '--json'])).lines;
  const findings = JSON.parse(json!);
  expect(findings.every(({ kind }: { kind: string }) => kind === 'agree')).toBe(true);
  const what = 'bridge balance at block 33';
  expect(findings.at(-1)).toEqual({ kind: 'agree', what, told: '6.000007' });
  const poor = await run([...args, '--rpc', wrong, '--json']);
  expect(poor.code).toBe(1);
  expect(poor.lines).toHaveLength(1);
  expect(JSON.parse(poor.lines[0]!).at(-1)).toEqual({
    kind: 'DIFFER',
    what,
    told: '6.000007',
    computed: '6',
  });

  const otherUser = await run(['--user', testAddress(0), '--proof', file]);
  expect(otherUser.lines[0]).toMatch(/^DIFFER {2}user/);
  const otherBridge = await run([...args, '--rpc', right, '--bridge', testAddress(5)]);
  expect(otherBridge.lines.join()).toContain('DIFFER  bridge as specified');

  const venue = await serve(() => ({ success: true, data: null }));
  expect(await run(['--user', testAddress(9), '--url', venue])).toEqual({
    code: 2,
    lines: [`${testAddress(9)} is not included in the published reserves`],
  });
  const faults: string[] = [];
  const fault = {
    name: 'Error',
    message: `${testAddress(9)} is not included in the published reserves`,
  };
  const code = await runVerifyReserves(
    ['--user', testAddress(9), '--url', venue, '--json'],
    (line, isFault = false) => faults.push(isFault ? line : `no fault: ${line}`),
  );
  expect([code, faults.map((line) => JSON.parse(line))]).toEqual([
    2,
    [{ error: { ...fault, exitCode: 2 } }],
  ]);
});

/**
 * Returns the proof for a mainnet venue with liabilities of six dollars. Some figures are replaced.
 */
async function mainnetProof(planted: Readonly<Record<string, string>>): Promise<string> {
  const proof = await proofOf([1_000_000, 2_000_000, 3_000_000], 1);
  const chain = { ...proof.chain, chainId: 42_161 };
  const file = join(folder, 'planted.json');
  const published = { ...proof.published, keptAside: '0', balance: '6', ...planted };
  writeFileSync(file, JSON.stringify({ ...proof, chain, published }));
  return file;
}

/**
 * Serves a venue whose time is 7 at the publication's block. It answers with this row for every
 * withdrawal.
 */
async function reportingVenue(row: object): Promise<string> {
  return await serve(({ before, type }) => ({
    success: true,
    data: type === 'block' ? { blockTime: 7 } : [{ id: Number(before) - 1, ...row }],
  }));
}

/** Serves a node that reports this bridge balance and these payments. */
async function node(held: string, paid: readonly number[] = []): Promise<string> {
  const word = (amount: number): string => amount.toString(16).padStart(64, '0');
  const logs = paid.map((usd, id) => {
    return { topics: ['0x', `0x${word(id + 1)}`, '0x'], data: `0x${word(0xb0b)}${word(usd)}` };
  });
  return serve(({ method }) => {
    if (method === 'eth_chainId') return { result: '0xa4b1' };
    return { result: method === 'eth_getLogs' ? logs : held };
  });
}

const SIX = '0x5b8d80';
const FOUR = '0x3d0900';

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['a shortfall', { balance: '4', assets: '4', owed: '4', shortfall: '2' }, 'shortfall'],
  ['negative uncredited deposits', { balance: '4', keptAside: '-2' }, 'keptAside'],
  [
    'an unsettled amount that was never paid',
    { balance: '4', assets: '4', unsettled: '2' },
    'unsettled',
  ],
  ['an unbacked amount', { balance: '4', assets: '4', unbacked: '2' }, 'unbacked'],
  [
    'a negative figure offsetting another',
    { balance: '4', assets: '4', unsettled: '-1', unbacked: '3' },
    'unsettled',
  ],
  [
    'a negative amount owed',
    { owed: '-1', shortfall: '7', balance: '4', assets: '4', unsettled: '-5' },
    'owed',
  ],
  ['a reported difference', { balance: '4', assets: '4', difference: '-2' }, 'but the assets are'],
])('R-conservation: detects insolvency despite %s', async (_, planted, named) => {
  const file = await mainnetProof(planted);
  const args = ['--user', testAddress(1), '--proof', file];
  for (const more of [[], ['--rpc', await node(FOUR)]]) {
    const { code, lines } = await run([...args, ...more]);
    expect(code).toBe(1);
    const differ = lines.filter((line) => line.startsWith('DIFFER'));
    expect(differ.join('\n')).toContain(named);
  }
});

test("the command prints all figures and compares the unsettled amount with the bridge's payments", async () => {
  const args = ['--user', testAddress(1), '--proof', await mainnetProof({})];
  const right = await run([...args, '--rpc', await node(SIX)]);
  expect(right.code).toBe(0);
  for (const name of [
    'liabilities',
    'owed',
    'balance',
    'keptAside',
    'assets',
    'unsettled',
    'unbacked',
    'shortfall',
    'difference',
  ]) {
    expect(right.lines.join('\n')).toMatch(new RegExp(`^agree {3}${name}`, 'm'));
  }
  const file = await mainnetProof({ balance: '4', assets: '4', unsettled: '2' });
  const open = ['--user', testAddress(1), '--proof', file];
  const [both, one] = [await node(FOUR, [1_500_000, 500_000]), await node(FOUR, [1_500_000])];
  const what = 'unsettled <= payouts still reported as open';
  const held = { status: 'sent', updateTime: 1 };
  const [honest, confirming] = [
    await reportingVenue(held),
    await reportingVenue({ status: 'confirmed', updateTime: 8 }),
  ];
  for (const url of [honest, confirming]) {
    const paid = await run([...open, '--rpc', both, '--url', url]);
    expect(paid.lines).toContain(`agree   ${what}: 2 of 2`);
    expect(paid.code).toBe(0);
  }
  const less = await run([...open, '--rpc', one, '--url', honest]);
  expect(less.lines).toContain(
    'DIFFER  unsettled is 2, but the payouts still reported as open add up to 1.5',
  );
  expect(less.code).toBe(1);
  // A payment that was settled earlier has already been deducted and must not be counted again.
  const settled = await reportingVenue({ status: 'confirmed', updateTime: 7 });
  const again = await run([...open, '--rpc', both, '--url', settled]);
  expect(again.lines).toContain(
    'DIFFER  unsettled is 2, but the payouts still reported as open add up to 0',
  );
  for (const more of [[], ['--rpc', both]]) {
    const alone = await run([...open, ...more]);
    expect(alone.lines.join('\n')).toContain('pass --rpc and --url');
    expect(alone.code).toBe(1);
  }
});

const ADDRESS = `0x${'1'.repeat(40)}`;
const NOBODY = 'http://127.0.0.1:1';

test.each<[string, readonly string[], number, RegExp]>([
  ['no user', ['--url', NOBODY], 2, /^usage: /],
  ['neither a venue nor a file', ['--user', ADDRESS], 2, /^usage: /],
  ['an option that does not exist', ['--moon'], 2, /^Unknown option '--moon'/],
  [
    'no address',
    ['--user', '0x12', '--url', NOBODY],
    2,
    /^Invalid address "0x12"\. Use 0x followed by 40 hex digits\.$/,
  ],
  [
    'no URL',
    ['--user', ADDRESS, '--url', 'moon'],
    2,
    /^Invalid URL "moon"\. Use an http or https URL\.$/,
  ],
  [
    'no bridge',
    ['--user', ADDRESS, '--url', NOBODY, '--bridge', '0x12'],
    2,
    /^Invalid address "0x12"\. Use 0x followed by 40 hex digits\.$/,
  ],
  [
    'no root',
    ['--user', ADDRESS, '--url', NOBODY, '--root', '0xzz'],
    2,
    /^Invalid root "0xzz"\. Use 0x followed by 64 hex digits\.$/,
  ],
  [
    'a bridge without an endpoint',
    ['--user', ADDRESS, '--url', NOBODY, '--bridge', ADDRESS],
    2,
    /^--bridge and --token require --rpc/,
  ],
  ['a missing file', ['--user', ADDRESS, '--proof', '/nowhere'], 2, /ENOENT/],
  [
    'no venue at the URL',
    ['--user', ADDRESS, '--url', NOBODY],
    4,
    /^No response from http:\/\/127\.0\.0\.1:1\/info: /,
  ],
])('%s is reported in one line, with its own exit code', async (_, args, exitCode, text) => {
  const { code, lines } = await run(args);
  expect(code).toBe(exitCode);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(text);
});

test('the command reports errors from the venue, a file without a proof, and a failing node', async () => {
  const refusing = await serve(() => ({ success: false, message: 'Wrong type for user' }));
  const lines = ['Wrong type for user'];
  expect(await run(['--user', ADDRESS, '--url', refusing])).toEqual({ code: 2, lines });
  const empty = join(folder, 'empty.json');
  writeFileSync(empty, '{}');
  expect(await run(['--user', ADDRESS, '--proof', empty])).toEqual({
    code: 2,
    lines: [`${empty} does not contain a proof`],
  });
  const failing = await serve(() => ({ error: { message: 'pruned' } }));
  const proof = ['--user', testAddress(1), '--proof', await mainnetProof({})];
  expect(await run([...proof, '--rpc', failing])).toEqual({
    code: 4,
    lines: [`${failing}: eth_call: pruned`],
  });
});
