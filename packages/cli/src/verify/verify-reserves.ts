import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Checks that an address is included in the liabilities that a venue reports, and that the bridge
 * holds the reported assets. This is deliberately one file that imports only Node modules and
 * contains its own Keccak, so that it can be copied, reviewed and run anywhere.
 *
 * `oddlot verify reserves --url http://127.0.0.1:8690 --user 0x… [--root 0x…] [--rpc http://…]
 * [--json]`
 *
 * `oddlot verify reserves --proof proof.json --user 0x… --root 0x… --rpc http://… [--url http://…]`
 *
 * `--proof` is a file with the response of `reservesProof`; `--root` is a root from an independent
 * source; `--rpc` is a trusted endpoint of the settlement chain; `--bridge` and `--token` are the
 * known contracts; `--json` prints the findings as JSON. The command exits with 0 if all figures
 * agree, with 1 if a figure differs or is invalid, with 2 for wrong usage or if the address is not
 * included, and with 4 if the venue does not respond.
 */

type Finding = Readonly<{
  what: string;
  agrees: boolean;
  told: string;
  computed?: string;
  /** The line printed if the finding does not agree. Not part of the JSON output. */
  disagreement?: string;
}>;

/** The response of `reservesProof`. Amounts are in USDC, as decimal text. */
export type Proof = {
  readonly chain: { readonly chainId: number; readonly bridge: string; readonly token: string };
  readonly published: { readonly [name: string]: string | number } & {
    readonly height: number;
    readonly root: string;
    readonly leaves: number;
    readonly blockNumber: number;
  };
  readonly user: string;
  readonly amount: string;
  readonly parts: { readonly [name: string]: string };
  readonly salt: string;
  readonly index: number;
  readonly siblings: readonly { readonly hash: string; readonly sum: string }[];
};

/** Values known from a source other than the venue. */
type Known = { readonly user?: string; readonly root?: string };

/** Amounts and sums are in [0, 2^128), so that a negative amount cannot hide a positive one. */
const SUM_MAX = 2n ** 128n;
const KIND = { leaf: '00', node: '01', root: '02' } as const;

/** Runs all checks that need only the proof. */
export function checkProof(proof: Proof, known: Known = {}): readonly Finding[] {
  const { published } = proof;
  const amount = micro(proof.amount);
  const parts = Object.values(proof.parts).map((part) => micro(part));
  const { root, sum } = rootOf(proof);
  const of = (name: string): bigint => micro(String(published[name]), true);
  const owed = of('liabilities') - of('shortfall');
  const assets = of('balance') - of('keptAside');
  const difference = assets + of('unsettled') + of('unbacked') - owed;
  return [
    ...(known.user === undefined ? [] : [same('user', proof.user, known.user, 'specified')]),
    ...FIGURES.map((name) =>
      mustBe(`${name} >= 0`, of(name), of(name) >= 0n, `${name} must not be negative, but is`),
    ),
    mustBe('shortfall = 0', of('shortfall'), of('shortfall') === 0n, 'shortfall must be 0, but is'),
    ...checkUnbacked(proof, of('unbacked')),
    same('amount = sum of its parts', text(amount), text(total(parts)), 'sum of its parts'),
    same('root', published.root, root),
    ...(known.root === undefined
      ? []
      : [same('root as specified', published.root, known.root, 'specified')]),
    same('liabilities', text(of('liabilities')), text(sum)),
    same('owed', text(of('owed')), text(owed)),
    same('assets', text(of('assets')), text(assets)),
    same('difference', text(of('difference')), text(difference)),
    mustBe(
      'assets = amount owed',
      assets,
      difference === 0n,
      `the amount owed is ${text(owed)}, but the assets are`,
    ),
  ];
}

/** All figures are amounts of existing funds. A negative figure could hide a deficit elsewhere. */
const FIGURES = 'liabilities owed balance keptAside assets unsettled unbacked'.split(' ');

/** With test funds, a faucet may have granted more than was minted. */
const TEST_CHAINS: readonly number[] = [421_614];

function checkUnbacked({ chain }: Proof, unbacked: bigint): readonly Finding[] {
  if (TEST_CHAINS.includes(chain.chainId)) return [];
  const disagreement = 'unbacked must be 0 on a production chain, but is';
  return [mustBe('unbacked = 0', unbacked, unbacked === 0n, disagreement)];
}

/**
 * Returns a finding about a condition. `disagreement` is the line printed if it does not hold,
 * without the amount.
 */
function mustBe(what: string, amount: bigint, agrees: boolean, disagreement: string): Finding {
  const told = text(amount);
  return agrees
    ? { what, agrees, told }
    : { what, agrees, told, disagreement: `${disagreement} ${told}` };
}

/** Returns the root and the sum of all leaves, computed from a leaf and its siblings. */
function rootOf(proof: Proof): { readonly root: string; readonly sum: bigint } {
  const { index, siblings, user } = proof;
  const { height, leaves } = proof.published;
  if (!Number.isSafeInteger(leaves) || !Number.isSafeInteger(index) || index < 0 || index >= leaves)
    throw new Error(`Leaf ${index} is out of range: the tree has ${leaves} leaves`);
  let sum = micro(proof.amount);
  let hash = keccak(KIND.leaf, bytes(proof.salt, 32), bytes(user, 20), word(sum));
  let used = 0;
  let at = index;
  for (let width = leaves; width > 1; width = Math.ceil(width / 2)) {
    // If the number of nodes is odd, the last one has no sibling and moves up unchanged.
    const isAlone = at % 2 === 0 && at + 1 === width;
    if (!isAlone) {
      const sibling = siblings[used];
      if (sibling === undefined) throw new Error(`The proof has too few siblings: ${used}`);
      used += 1;
      const beside = micro(sibling.sum);
      const own = hash + word(sum);
      const other = bytes(sibling.hash, 32) + word(beside);
      hash = at % 2 === 0 ? keccak(KIND.node, own, other) : keccak(KIND.node, other, own);
      sum += beside;
    }
    at = Math.floor(at / 2);
  }
  if (used !== siblings.length)
    throw new Error(`The proof has too many siblings: ${siblings.length}`);
  const top = hash + word(sum);
  return { root: `0x${keccak(KIND.root, word(BigInt(height)), word(BigInt(leaves)), top)}`, sum };
}

const PAID = 'Paid(uint64,address,address,uint64)';
/** The ids of returned deposits start at this value. */
const RETURN_ID_MIN = 2n ** 63n;
/**
 * The block range of one query, and the maximum number of queries. Payments in earlier blocks have
 * already been settled.
 */
const RANGE = 2_000;
const RANGES_MAX = 10;

/** The data sources: a trusted chain node, and the venue. */
type Asked = { readonly rpc?: string; readonly url?: string; readonly bridge?: string };

/**
 * Checks the unsettled payments. They must exist on the chain, shortly before the block of the
 * publication. The venue must have reported each of them to its recipient as unsettled at that
 * time. The unsettled amount cannot exceed their sum.
 */
async function checkUnsettled(proof: Proof, asked: Asked): Promise<readonly Finding[]> {
  const unsettled = micro(String(proof.published['unsettled']), true);
  const what = 'unsettled <= payouts still reported as open';
  if (unsettled <= 0n) return [];
  const { rpc, url } = asked;
  if (rpc === undefined || url === undefined) {
    const told = `${text(unsettled)}; pass --rpc and --url to verify it`;
    return [{ what, agrees: false, told, disagreement: `unsettled amount not verified: ${told}` }];
  }
  const open = await openBefore(proof, { ...asked, rpc, url }, unsettled);
  const told = `${text(unsettled)} of ${text(open)}`;
  if (unsettled <= open) return [{ what, agrees: true, told }];
  const sum = `the payouts still reported as open add up to ${text(open)}`;
  const disagreement = `unsettled is ${text(unsettled)}, but ${sum}`;
  return [{ what, agrees: false, told, disagreement }];
}

/** Adds up the open payouts, newest blocks first, and stops when the sum reaches `enough`. */
async function openBefore(
  proof: Proof,
  asked: Asked & { readonly rpc: string; readonly url: string },
  enough: bigint,
): Promise<bigint> {
  const address = asked.bridge ?? proof.chain.bridge;
  const { height } = proof.published;
  const { blockTime } = (await info(asked.url, { type: 'block', height })) as { blockTime: number };
  let open = 0n;
  let toBlock = proof.published.blockNumber;
  for (let range = 0; range < RANGES_MAX && toBlock >= 0 && open < enough; range++) {
    const fromBlock = Math.max(0, toBlock - RANGE + 1);
    const blocks = { fromBlock: hexOf(fromBlock), toBlock: hexOf(toBlock) };
    const topic = `0x${keccak256(Buffer.from(PAID)).toString('hex')}`;
    const filter = { address, topics: [topic], ...blocks };
    const logs = (await ask(asked.rpc, 'eth_getLogs', [filter])) as unknown as readonly PaidLog[];
    for (const { data, topics } of logs.toReversed()) {
      // The id and the user are indexed fields, and the amount is the last word of the data.
      const id = BigInt(topics[1] ?? 0);
      if (open >= enough || id >= RETURN_ID_MIN) continue;
      const user = `0x${(topics[2] ?? '').slice(-40)}`;
      if (await wasOpen(asked.url, { id, user }, blockTime)) open += BigInt(`0x${data.slice(-64)}`);
    }
    toBlock = fromBlock - 1;
  }
  return open;
}

type PaidLog = { readonly topics: readonly string[]; readonly data: string };

/** Returns true if the venue reports a withdrawal as unsettled at a time. */
async function wasOpen(
  url: string,
  { id, user }: { readonly id: bigint; readonly user: string },
  timeMs: number,
): Promise<boolean> {
  const query = { type: 'withdrawals', user, before: Number(id) + 1, limit: 1 };
  const [row] = (await info(url, query)) as readonly {
    readonly id: number;
    readonly status: string;
    readonly updateTime: number;
  }[];
  if (row === undefined || BigInt(row.id) !== id) return false;
  return !['confirmed', 'returned'].includes(row.status) || row.updateTime > timeMs;
}

function hexOf(block: number): string {
  return `0x${block.toString(16)}`;
}

/**
 * Compares the bridge's published balance with the balance that a node reports for the same block.
 */
async function checkBalance(
  proof: Proof,
  rpc: { readonly url: string; readonly bridge?: string; readonly token?: string },
): Promise<readonly Finding[]> {
  const { bridge, chainId, token } = proof.chain;
  const { balance, blockNumber: at } = proof.published;
  const data = `0x70a08231${(rpc.bridge ?? bridge).slice(2).padStart(64, '0')}`;
  const call = { to: rpc.token ?? token, data };
  const held = await ask(rpc.url, 'eth_call', [call, hexOf(at)]);
  const chain = await ask(rpc.url, 'eth_chainId', []);
  return [
    same('chain id', String(chainId), String(Number(chain)), 'endpoint'),
    ...(rpc.bridge === undefined
      ? []
      : [same('bridge as specified', bridge, rpc.bridge, 'specified')]),
    ...(rpc.token === undefined ? [] : [same('token as specified', token, rpc.token, 'specified')]),
    same(
      `bridge balance at block ${at}`,
      text(micro(String(balance))),
      text(BigInt(held)),
      'on the chain',
    ),
  ];
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<string> {
  const { error, result } = (await post(url, { jsonrpc: '2.0', id: 1, method, params })) as {
    readonly result?: string;
    readonly error?: { readonly message: string };
  };
  if (result !== undefined) return result;
  throw ending(EXIT.silent, `${url}: ${method}: ${error?.message ?? 'no result'}`);
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const asked = { method: 'POST', headers, body: JSON.stringify(body) };
  try {
    const response = await fetch(url, { ...asked, signal: AbortSignal.timeout(30_000) });
    // The server is busy or failing; the request is not at fault.
    if (response.status >= 429) throw new Error(`status ${response.status}`);
    return await response.json();
  } catch (error) {
    throw ending(EXIT.silent, `No response from ${url}: ${(error as Error).message}`);
  }
}

const EXIT = { agrees: 0, differs: 1, nothing: 2, silent: 4 } as const;

function ending(exitCode: number, message: string): Error {
  return Object.assign(new Error(message), { exitCode });
}

/** `source` names the origin of the value that the venue's value is compared with. */
function same(what: string, reported: string, computed: string, source = 'recomputed'): Finding {
  const agrees = reported.toLowerCase() === computed.toLowerCase();
  if (agrees) return { what, agrees, told: reported };
  const disagreement = `${what}: reported ${reported}, ${source} ${computed}`;
  return { what, agrees, told: reported, computed, disagreement };
}

/** Parses decimal text exactly to micro-USDC, within the range of a leaf or a sum. */
function micro(decimal: string, isSigned = false): bigint {
  const match = /^(-?)(\d{1,40})(?:\.(\d{1,6}))?$/.exec(decimal);
  if (match === null) throw new Error(`Invalid USDC amount: ${decimal}`);
  const [, sign, whole = '', fraction = ''] = match;
  const amount = BigInt(whole + fraction.padEnd(6, '0'));
  if (amount >= SUM_MAX || (sign === '-' && !isSigned)) {
    throw new Error(`Amount out of range for a leaf: ${decimal}`);
  }
  return sign === '-' ? -amount : amount;
}

function text(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  const whole = `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}`;
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function total(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/**
 * Returns 32 bytes in big-endian order as hex without a prefix, the form of all values hashed here.
 */
function word(amount: bigint): string {
  return amount.toString(16).padStart(64, '0');
}

function bytes(hex: string, length: number): string {
  if (!new RegExp(`^0x[0-9a-fA-F]{${2 * length}}$`).test(hex)) {
    throw new Error(`${hex} is not ${length} bytes long`);
  }
  return hex.slice(2).toLowerCase();
}

function keccak(...parts: readonly string[]): string {
  return keccak256(Buffer.from(parts.join(''), 'hex')).toString('hex');
}

const LANE = 64n;
const MASK = 2n ** LANE - 1n;
const RATE_BYTES = 136;

/**
 * Computes Keccak-256 as in Ethereum. A direct implementation of the specification, intended for a
 * few short inputs.
 */
export function keccak256(input: Uint8Array): Buffer {
  const padded = Buffer.alloc((Math.floor(input.length / RATE_BYTES) + 1) * RATE_BYTES);
  padded.set(input);
  padded[input.length] = (padded[input.length] ?? 0) + 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) + 0x80;
  // Lane (x, y) has the index 5y + x.
  let lanes: bigint[] = Array.from({ length: 25 }, () => 0n);
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    const absorbed = lanes.map((lane, at) =>
      8 * at < RATE_BYTES ? lane ^ padded.readBigUInt64LE(block + 8 * at) : lane,
    );
    lanes = permuted(absorbed);
  }
  const digest = Buffer.alloc(32);
  for (let at = 0; at < 4; at++) digest.writeBigUInt64LE(lanes[at] ?? 0n, 8 * at);
  return digest;
}

function permuted(input: readonly bigint[]): bigint[] {
  let lanes = [...input];
  let register = 1;
  for (let round = 0; round < 24; round++) {
    lanes = mixed(lanes);
    // Step iota: the bits of the round constant come from a shift register.
    for (let bit = 0; bit < 7; bit++) {
      if (register % 2 === 1) lanes[0] = (lanes[0] ?? 0n) ^ (1n << (2n ** BigInt(bit) - 1n));
      register = register >= 128 ? ((register * 2) ^ 0x171) & 0xff : register * 2;
    }
  }
  return lanes;
}

/** Applies the steps theta, rho, pi and chi. */
function mixed(lanes: readonly bigint[]): bigint[] {
  const lane = (x: number, y: number): bigint => lanes[5 * (y % 5) + (x % 5)] ?? 0n;
  const columns = [0, 1, 2, 3, 4].map((x) =>
    [0, 1, 2, 3, 4].reduce((parity, y) => parity ^ lane(x, y), 0n),
  );
  const column = (x: number): bigint => columns[x % 5] ?? 0n;
  const theta = (x: number, y: number): bigint =>
    lane(x, y) ^ column(x + 4) ^ rotated(column(x + 1), 1n);
  const moved = [...lanes];
  moved[0] = theta(0, 0);
  for (let step = 0, x = 1, y = 0; step < 24; step++) {
    const turned = rotated(theta(x, y), BigInt(((step + 1) * (step + 2)) / 2) % LANE);
    [x, y] = [y, (2 * x + 3 * y) % 5];
    moved[5 * y + x] = turned;
  }
  const at = (x: number, y: number): bigint => moved[5 * y + (x % 5)] ?? 0n;
  return moved.map((_, place) => {
    const [x, y] = [place % 5, Math.floor(place / 5)];
    return at(x, y) ^ (~at(x + 1, y) & MASK & at(x + 2, y));
  });
}

function rotated(lane: bigint, bits: bigint): bigint {
  return ((lane << bits) | (lane >> (LANE - bits))) & MASK;
}

const USAGE =
  'usage: oddlot verify reserves --user 0x… (--url <url> or --proof <file>, or both) [--json]';
const ALONE = '--bridge and --token require --rpc, because they are compared with the chain';
const OPTIONS = ['url', 'user', 'proof', 'root', 'rpc', 'bridge', 'token'] as const;

export async function runVerifyReserves(
  args: readonly string[],
  print: (line: string, isFault?: boolean) => void,
): Promise<number> {
  try {
    const { isJson, ...given } = read(args);
    const { proof: file, rpc, url, user } = given;
    const query = { type: 'reservesProof', user };
    const asked = file === undefined ? await info(String(url), query) : storedProof(file);
    const proof = asked as Proof | null;
    if (proof === null)
      throw ending(EXIT.nothing, `${user} is not included in the published reserves`);
    const findings = [
      ...checkProof(proof, given),
      ...(await checkUnsettled(proof, given)),
      ...(rpc === undefined ? [] : await checkBalance(proof, { ...given, url: rpc })),
    ];
    // The output has the same form as in the other `oddlot verify` checks.
    const kind = (agrees: boolean): string => (agrees ? 'agree' : 'DIFFER');
    const told = findings.map(({ agrees, disagreement: _, ...rest }) => ({
      kind: kind(agrees),
      ...rest,
    }));
    const lines = findings.map(
      ({ agrees, disagreement, told: value, what }) =>
        `${kind(agrees).padEnd(6)}  ${disagreement ?? `${what}: ${value}`}`,
    );
    for (const line of isJson ? [JSON.stringify(told)] : lines) print(line);
    return findings.every(({ agrees }) => agrees) ? EXIT.agrees : EXIT.differs;
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ');
    const exitCode = (error as { readonly exitCode?: number }).exitCode ?? EXIT.differs;
    const fault = { error: { name: 'Error', message, exitCode } };
    print(args.includes('--json') ? JSON.stringify(fault) : message, true);
    return exitCode;
  }
}

type Given = { readonly [Name in (typeof OPTIONS)[number]]?: string } & { readonly user: string };

function read(args: readonly string[]): Given & { readonly isJson: boolean } {
  const texts = Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' as const }]));
  const options = { ...texts, json: { type: 'boolean' as const } };
  const parsed = asUsageError(() => parseArgs({ args: [...args], options }));
  const { json = false, ...values } = parsed.values;
  const { bridge, proof, root, rpc, token, url, user } = values as Partial<Given>;
  const wrong = (why: string): Error => ending(EXIT.nothing, why);
  if (user === undefined || (url === undefined && proof === undefined)) throw wrong(USAGE);
  const odd = [user, bridge, token].find((each) => each && !/^0x[0-9a-fA-F]{40}$/.test(each));
  if (odd !== undefined) throw wrong(`Invalid address "${odd}". Use 0x followed by 40 hex digits.`);
  if (root !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(root))
    throw wrong(`Invalid root "${root}". Use 0x followed by 64 hex digits.`);
  if (rpc === undefined && (bridge ?? token) !== undefined) throw wrong(ALONE);
  const bad = [url, rpc].find((each) => each !== undefined && !URL.canParse(each));
  if (bad !== undefined) throw wrong(`Invalid URL "${bad}". Use an http or https URL.`);
  return { ...values, user, isJson: json };
}

/** Converts errors of the function into usage errors. */
function asUsageError<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw ending(EXIT.nothing, (error as Error).message);
  }
}

async function info(url: string, query: object): Promise<unknown> {
  const answer = (await post(`${url}/info`, query)) as {
    readonly success: boolean;
    readonly message?: string;
    readonly data: unknown;
  };
  if (!answer.success) throw ending(EXIT.nothing, answer.message ?? `${url} rejected the query`);
  return answer.data;
}

/** Returns the proof in a file that holds either a complete response or only its data. */
function storedProof(file: string): Proof | null {
  return asUsageError(() => {
    const json = JSON.parse(readFileSync(file, 'utf8')) as Proof | { readonly data: Proof } | null;
    const proof = json !== null && 'data' in json ? json.data : (json as Proof | null);
    if (proof !== null && proof.published === undefined)
      throw new Error(`${file} does not contain a proof`);
    return proof;
  });
}

if (import.meta.main) {
  const print = (line: string, isFault?: boolean) => console[isFault ? 'error' : 'log'](line);
  process.exitCode = await runVerifyReserves(process.argv.slice(2), print);
}
