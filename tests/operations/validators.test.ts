import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_USDC_ABI, TEST_USDC_BYTECODE } from '@oddlot/contracts';
import { createClient, privateKeyWallet, signProposal } from '@oddlot/sdk';
import { type Hex, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROOF_HEADER, proofOf } from '../../packages/custody/src/signing/validator-wire.ts';
import { readValidatorSettings } from '../../packages/custody/src/validator/validator-settings.ts';
import { type Chain, chainOf, post } from '../support/chain.ts';
import { FalseEndpoint } from '../support/false-endpoint.ts';
import { startChain, type TestChain } from '../support/local-chain.ts';
import { payFromContract } from '../support/pay-from-contract.ts';
import { Shell } from '../support/shell.ts';
import { freePorts } from '@oddlot/testing/host';
import { ValidatorProcess } from '../support/validator-process.ts';
import {
  FIXED_PRICE_FLAGS,
  removeTemporaryData,
  REPOSITORY,
  temporaryData,
  Venue,
  VenueRun,
} from '../support/venue-process.ts';

/**
 * Goal: a venue with external signers works as docs/operate/bridge-setup.md and bridge-runbook.md
 * describe. Method: the commands in the guides create the keys and the bridge on an external chain.
 * Three validators and a venue run as processes.
 */

const GUIDE = ['bridge-setup.md', 'bridge-runbook.md']
  .map((name) => readFileSync(join(REPOSITORY, 'docs/operate', name), 'utf8'))
  .join('\n');
const usdc = (amount: string): bigint => parseUnits(amount, 6);
/** The polling rate is low, because each request means work for the venue. */
const LOOK = { timeout: 60_000, interval: 150 };
const NAMED = ['--service-network', 'example.org'];
const NAMES = ['validator-1', 'validator-2', 'validator-3'] as const;

let folder = '';
let chain: TestChain;
/** One of the third validator's endpoints. */
let liar: FalseEndpoint;
let shell: Shell;
let token: Hex;
let bridge = '';
let venue: Venue;
let venueName = '';
let money: Chain;
const validators: ValidatorProcess[] = [];
const urls: string[] = [];

function commandsOf(heading: string): string {
  const section = GUIDE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  expect(blocks, heading).not.toEqual([]);
  return blocks.join('\n');
}

const keyOf = (name: string): Hex =>
  readFileSync(join(folder, `${name}.key`), 'utf8').trim() as Hex;
const addressOf = (name: string): Hex => privateKeyToAccount(keyOf(name)).address;

async function mint(to: Hex, amount: string): Promise<void> {
  const mintTo = { address: token, abi: TEST_USDC_ABI, functionName: 'mint' } as const;
  const hash = await chain.wallet.writeContract({ ...mintTo, args: [to, usdc(amount)] });
  await chain.reads.waitForTransactionReceipt({ hash });
}

/** Returns the flags for a venue that uses the current bridge. */
function bridgeFlags(): readonly string[] {
  const contracts = ['--bridge-contract', bridge, '--usdc-contract', token];
  const keys = ['--relayer-key', join(folder, 'relayer.key'), '--validators', urls.join(',')];
  const times = ['--chain-every-ms', '200', '--payout-patience-ms', '500'];
  const pace = ['--chain-confirmations', '1', ...times];
  const place = ['--chain', chain.url, '--settlement-rpc-url', chain.url];
  return [...FIXED_PRICE_FLAGS, ...NAMED, ...place, ...contracts, ...keys, ...pace];
}

/** Starts a validator for the current bridge and venue, configured as in the guide. */
async function startValidator(name: (typeof NAMES)[number]): Promise<void> {
  const sample = /^```toml\n# validator\.toml[^\n]*\n(.*?)^```$/ms.exec(GUIDE)?.[1] ?? '';
  const at = NAMES.indexOf(name);
  const file = join(folder, `${name}.toml`);
  await writeFile(file, sample);
  const places = ['--key', join(folder, `${name}.key`), '--data', join(folder, name)];
  const port = ['--port', new URL(urls[at]!).port];
  const flags = [
    '--bridge',
    bridge,
    '--service-network',
    venueName,
    '--relayer',
    addressOf('relayer'),
    '--venues',
    venue.url,
    ...port,
  ];
  const endpoints = at === 2 ? [chain.url, chain.url, liar.url] : [chain.url];
  const eyes = ['--chain', endpoints.join(','), '--cancel-patience-ms', '1000'];
  const validator = new ValidatorProcess(['--config', file, ...places, ...flags, ...eyes]);
  validators[at] = validator;
  expect(await validator.start()).toEqual({ url: urls[at] });
}

beforeAll(async () => {
  folder = await temporaryData();
  chain = await startChain();
  liar = await new FalseEndpoint(chain.url).open();
  const args = [chain.wallet.account.address] as const;
  const contract = { abi: TEST_USDC_ABI, bytecode: TEST_USDC_BYTECODE, args } as const;
  const deployed = await chain.wallet.deployContract(contract);
  const receipt = await chain.reads.waitForTransactionReceipt({ hash: deployed });
  token = receipt.contractAddress!.toLowerCase() as Hex;
  shell = await Shell.open(folder);
  await shell.run(commandsOf('Key ceremony'), { RPC: chain.url, USDC: token, KEYS: folder });
  for (const name of ['deployer', 'guardian', 'relayer']) {
    const value = parseEther('1');
    const hash = await chain.wallet.sendTransaction({ to: addressOf(name), value });
    await chain.reads.waitForTransactionReceipt({ hash });
  }
  const printed = await shell.run(commandsOf('Deployment'));
  bridge = /^bridge +(0x[0-9a-f]{40}) on chain 421614$/m.exec(printed)?.[1] ?? '';
  expect(printed).toContain('threshold  2 of 3');
  const first = await freePorts(NAMES.length);
  urls.push(...NAMES.map((_, at) => `http://127.0.0.1:${first + at}`));
  venue = await Venue.start(bridgeFlags());
  venueName = (await post(venue.url, '/info', { type: 'settings' })).data.service_network;
  money = await chainOf(venue.url);
  for (const name of NAMES) await startValidator(name);
});

afterAll(async () => {
  shell?.end();
  await Promise.all(validators.map((validator) => validator.kill()));
  const logs = [venue.stderr, ...validators.map(({ output }) => output)].join('\n');
  const names = ['deployer', 'guardian', 'relayer', ...NAMES];
  const shown = names.filter((name) => logs.includes(keyOf(name).slice(2)));
  await venue.remove();
  await liar.close();
  await chain.close();
  await removeTemporaryData();
  expect(shown).toEqual([]);
});

/** Creates a user who has deposited 100 USDC. */
async function depositor() {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const user = account.address.toLowerCase() as Hex;
  const gas = await chain.wallet.sendTransaction({ to: user, value: parseEther('0.1') });
  await chain.reads.waitForTransactionReceipt({ hash: gas });
  await mint(user, '100');
  await money.wallet(account).transfer(bridge as Hex, usdc('100'));
  const client = () => createClient({ url: venue.url, wallet: privateKeyWallet(key) });
  const rows = () => client().info.withdrawals({ user });
  await expect
    .poll(async () => {
      const { data } = await post(venue.url, '/info', { type: 'clearinghouseState', user });
      return data?.withdrawable;
    }, LOOK)
    .toBe('100');
  return {
    user,
    client,
    rows,
    withdraw: (amount: string) =>
      client().exchange.withdraw3({ destination: user, amount }, { confirm: 'executed' }),
    becomes: async (status: string): Promise<void> => {
      const now = async () => (await rows())[0]?.status;
      await expect.poll(now, LOOK).toBe(status);
    },
    chainMoney: () => money.balanceOf(user),
  };
}

/**
 * Sends a request to a validator. By default, the venue's key signs it, so that only other checks
 * can fail.
 */
async function ask(at: number, changes: object, key = 'relayer'): Promise<[number, string]> {
  const body = JSON.stringify({ type: 'payout', chainId: 421_614, bridge, ...changes });
  const proof = await proofOf(privateKeyToAccount(keyOf(key)), body);
  const headers = { 'content-type': 'application/json', [PROOF_HEADER]: proof };
  const response = await fetch(`${urls[at]}/sign`, { method: 'POST', headers, body });
  const { message = 'signed' } = (await response.json()) as { readonly message?: string };
  return [response.status, message];
}

describe('R-withdraw: two of three validators must sign', () => {
  test('payouts continue with one of three validators killed, stop with two, and resume once one is back', async () => {
    const alice = await depositor();
    await validators[0]!.kill();
    await alice.withdraw('20');
    await alice.becomes('confirmed');
    expect(await alice.chainMoney()).toBe(usdc('19.9'));

    await validators[1]!.kill();
    await alice.withdraw('30');
    await expect
      .poll(async () => (await alice.rows())[0]?.error, { timeout: 60_000 })
      .toMatch(/1 of 2 validators/);
    expect((await alice.rows())[0]?.status).not.toBe('confirmed');
    expect(await alice.chainMoney()).toBe(usdc('19.9'));

    await validators[1]!.start();
    await alice.becomes('confirmed');
    expect(await alice.chainMoney()).toBe(usdc('49.8'));
    expect((await alice.rows()).map(({ error, status }) => [status, error])).toEqual([
      ['confirmed', null],
      ['confirmed', null],
    ]);
    await validators[0]!.start();
  });

  test('validators reject payouts that the venue does not owe, and terms other than those signed before a restart', async () => {
    const bob = await depositor();
    const { user } = bob;
    await bob.withdraw('10');
    await bob.becomes('confirmed');
    const [row] = await bob.rows();
    const withdrawalId = String(row!.id);
    const owed = { withdrawalId, user, destination: user, usd: '9900000' };
    const book = async (): Promise<string> =>
      JSON.stringify(await (await fetch(`${urls[2]}/signed`)).json());
    const before = await book();
    await validators[2]!.kill();
    await validators[2]!.start();
    expect(await book()).toBe(before);
    expect(await ask(2, owed)).toEqual([200, 'signed']);
    const outsider = [
      401,
      expect.stringContaining('this validator accepts requests only from relayer'),
    ];
    expect(await ask(2, owed, 'guardian')).toEqual(outsider);
    expect(await ask(2, { ...owed, usd: '9900001' })).toEqual([
      409,
      expect.stringContaining(
        `withdrawal ${withdrawalId} was already signed as 9900000 micro-USDC`,
      ),
    ]);
    const unknown = { ...owed, withdrawalId: String(row!.id + 1) };
    expect(await ask(2, unknown)).toEqual([404, expect.stringContaining('has no withdrawal')]);
    expect((await ask(2, { ...owed, chainId: 42_161 }))[0]).toBe(403);
    expect((await ask(2, { ...owed, bridge: token }))[0]).toBe(403);
    expect(await book()).toBe(before);
  });
});

test("R-multisig: validators pay a withdrawal signed by the signers named in the account's own signed action", async () => {
  const group = await depositor();
  const members = [generatePrivateKey(), generatePrivateKey()].map((key) =>
    createClient({ url: venue.url, wallet: privateKeyWallet(key) }),
  );
  const authorizedUsers = members.map(({ wallet }) => wallet!.address);
  const signers = { authorizedUsers, threshold: 2 };
  await group.client().exchange.convertToMultiSigUser({ signers }, { confirm: 'executed' });
  const changes = await group.client().info.multiSigChanges({ user: group.user });
  expect(changes).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)]);
  const withdraw = { type: 'withdraw3', destination: group.user, amount: '25' } as const;
  const { multiSig } = members[0]!.exchange;
  const proposal = await multiSig.propose({ multiSigUser: group.user, action: withdraw });
  const signatures = await Promise.all(
    members.map(async ({ network, wallet }) =>
      signProposal(proposal, { wallet: wallet!, network: await network() }),
    ),
  );
  await multiSig.send(proposal, signatures, { confirm: 'executed' });
  await group.becomes('confirmed');
  expect(await group.chainMoney()).toBe(usdc('24.9'));
});

describe('R-withdraw: a withdrawal can be cancelled only if it cannot be paid', () => {
  const cancelled = (at: number, withdrawalId: string, user: Hex) =>
    ask(at, { type: 'cancellation', withdrawalId, user, reason: 'not authorised' });

  test('a withdrawal that can be paid cannot be cancelled, whatever an endpoint reports and even while a pause delays it', async () => {
    const zoe = await depositor();
    const [pause = '', unpause = ''] = commandsOf('Pause').split('\n');
    await shell.run(pause);
    await zoe.withdraw('10');
    await expect.poll(async () => (await zoe.rows())[0]?.error).toContain('pause');
    const id = String((await zoe.rows())[0]!.id);
    const payable = [409, `withdrawal ${id} can be paid`];
    for (const lie of ['none', 'refused', 'none', 'refused'] as const) {
      liar.lie = lie;
      for (const at of [0, 1, 2]) expect(await cancelled(at, id, zoe.user)).toEqual(payable);
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    expect(liar.lied).toBeGreaterThan(0);
    liar.lie = 'none';
    await shell.run(unpause);
    await zoe.becomes('confirmed');
    expect(await zoe.chainMoney()).toBe(usdc('9.9'));
  });

  test('a withdrawal can be cancelled if the token blocks its destination, even if one endpoint denies this', async () => {
    const barred = await depositor();
    const blacklist = { address: token, abi: TEST_USDC_ABI, functionName: 'blacklist' } as const;
    await chain.wallet.writeContract({ ...blacklist, args: [barred.user] });
    liar.lie = 'taken';
    await barred.withdraw('10');
    await barred.becomes('returned');
    liar.lie = 'none';
    const [row] = await barred.rows();
    expect(row).toMatchObject({ error: 'The token rejects transfers to this destination' });
    const { data } = await post(venue.url, '/info', {
      type: 'clearinghouseState',
      user: barred.user,
    });
    expect(data?.withdrawable).toBe('100');
    type Signed = { latest: { type: string; withdrawalId: string; reason?: string }[] };
    const reasons = await Promise.all(
      urls.map(async (url) => {
        const { latest } = (await (await fetch(`${url}/signed`)).json()) as Signed;
        const isThis = (each: Signed['latest'][number]) =>
          each.type === 'cancellation' && each.withdrawalId === String(row!.id);
        return latest.filter(isThis).map(({ reason }) => reason);
      }),
    );
    const seen = `the token rejects transfers to ${barred.user}`;
    const signers = reasons.filter((each) => each.length > 0);
    expect(signers.length).toBeGreaterThanOrEqual(2);
    for (const each of signers) expect(each).toEqual([seen]);
    expect(await money.balanceOf(barred.user)).toBe(0n);
  });
});

test('a validator that does not start reports why in one line, and a running one stops on request', async () => {
  const key = join(folder, 'validator-1.key');
  const names = ['--service-network', venueName, '--relayer', addressOf('relayer')];
  const place = ['--chain-id', '421614', '--bridge', bridge, '--port', '0'];
  const flags = ['--key', key, ...place, ...names];
  const wrong = new ValidatorProcess([...flags, '--data', join(folder, 'other')]);
  expect(await wrong.start()).toEqual({ code: 2 });
  expect(wrong.output).toMatch(/^venues: .*\(see --help\)$/m);
  const folderOfKey = join(folder, NAMES[0]);
  const twice = new ValidatorProcess([...flags, '--venues', venue.url, '--data', folderOfKey]);
  expect(await twice.start()).toEqual({ code: 1 });
  expect(twice.output).toContain('is in use by');
  const isOpen = (name: string): boolean => (statSync(join(folderOfKey, name)).mode & 0o077) !== 0;
  expect(readdirSync(folderOfKey).filter(isOpen)).toEqual([]);
  expect(await validators[0]!.kill('SIGTERM')).toBe(0);
  await validators[0]!.start();
});

test('a mainnet venue does not start with a key file that other users can read', async () => {
  const key = join(folder, 'open.key');
  await writeFile(key, keyOf('relayer'), { mode: 0o644 });
  const place = ['--chain', chain.url, '--bridge-contract', bridge, '--usdc-contract', token];
  const real = [
    ...FIXED_PRICE_FLAGS,
    ...NAMED,
    '--network',
    'mainnet',
    '--oracle',
    'exchanges',
    ...place,
  ];
  const keys = ['--relayer-key', join(folder, 'relayer.key'), '--validator-keys', key];
  const run = new VenueRun(await temporaryData(), [...real, ...keys]);
  expect(await run.ended).toMatchObject({ code: 1 });
  expect(run.stderr).toContain(`validatorKeys: other users can read ${key}; run chmod 600 ${key}`);
  expect(run.stdout).toBe('');
});

describe('docs/operate/bridge-setup.md and bridge-runbook.md are correct', () => {
  test('the sample in the guide is a valid validator configuration', async () => {
    const file = join(folder, `${NAMES[0]}.toml`);
    expect(readValidatorSettings(['--config', file])).toMatchObject({
      port: 8_695,
      chainId: 421_614,
    });
  });

  test('a validator can be replaced, and payouts continue', async () => {
    const printed = await shell.run(commandsOf('Rotation'));
    expect(printed).toContain(`validator  ${addressOf('validator-4').toLowerCase()}`);
    expect(printed).not.toContain(`validator  ${addressOf('validator-1').toLowerCase()}`);
    const carol = await depositor();
    await carol.withdraw('50');
    await carol.becomes('confirmed');
    expect(await carol.chainMoney()).toBe(usdc('49.9'));
  });

  test('a pause visibly stops payouts, and both ways of ending it work', async () => {
    const dave = await depositor();
    const commands = commandsOf('Pause')
      .split('\n')
      .filter((line) => line !== '');
    await shell.run(commands[0]!);
    await dave.withdraw('50');
    await expect.poll(async () => (await dave.rows())[0]?.error).toContain('pause');
    await shell.run(commands.slice(1).join('\n'));
    await dave.becomes('confirmed');
    expect(await dave.chainMoney()).toBe(usdc('49.9'));
  });

  test('an uncredited deposit is returned to its sender', async () => {
    const { hash, payer } = await payFromContract({ chain, token, bridge, mint }, '12');
    type Aside = { source: { txHash: string; logIndex: number } };
    const aside = async (): Promise<Aside | undefined> => {
      const status = await (await fetch(`${venue.operations}/settlement`)).json();
      const { watch } = status as { watch: { book: { aside: Aside[] } } };
      return watch.book.aside.find(({ source }) => source.txHash === hash);
    };
    await expect.poll(aside).toMatchObject({ reason: 'fromContract', amount: '12000000' });
    const { logIndex } = (await aside())!.source;
    const deposit = { TX: hash, LOG: String(logIndex), OPERATIONS: venue.operations };
    expect(await shell.run(commandsOf('Return an uncredited deposit'), deposit)).toContain(
      '12 USDC',
    );
    expect(await money.balanceOf(payer)).toBe(usdc('12'));
  });

  test("the venue reports the relayer's ether", async () => {
    const printed = await shell.run(commandsOf('Ether of the relayer'));
    expect(printed).toMatch(/^ether +0\.9\d+ held by 0x[0-9a-f]{40}$/m);
  });

  test('a venue can move to another bridge without repeating deposits or payouts', async () => {
    const erin = await depositor();
    await erin.withdraw('10');
    await erin.becomes('confirmed');
    const held = await money.balanceOf(bridge as Hex);
    const printed = await shell.run(commandsOf('Move to a new bridge'));
    const [, next = ''] = /^bridge +(0x[0-9a-f]{40}) on chain/m.exec(printed) ?? [];
    expect(await money.balanceOf(bridge as Hex)).toBe(0n);
    expect(await money.balanceOf(next as Hex)).toBe(held);

    const former = bridge;
    bridge = next;
    await venue.stop();
    await Promise.all(validators.map((validator) => validator.kill('SIGTERM')));
    await venue.startAgain([...bridgeFlags(), '--former-bridges', former]);
    money = await chainOf(venue.url);
    await startValidator('validator-2');
    await startValidator('validator-3');
    expect(money.bridge).toBe(next);
    await erin.withdraw('20');
    await erin.becomes('confirmed');
    expect(await erin.chainMoney()).toBe(usdc('29.8'));
    expect(await money.balanceOf(next as Hex)).toBe(held - usdc('19.9'));
    // The venue credits deposits made into the new bridge.
    await depositor();

    // Validators do not sign for the new bridge a payout belonging to the former one.
    const old = (await erin.rows())[1]!;
    const { user } = erin;
    const owed = { withdrawalId: String(old.id), user, destination: user, usd: '9900000' };
    expect(await ask(1, owed)).toEqual([409, expect.stringContaining(`from bridge ${former}`)]);
    const status = (await (await fetch(`${venue.operations}/settlement`)).json()) as {
      watch: { state: string; book: { aside: object[] } };
    };
    expect(status.watch).toMatchObject({ state: 'ok', book: { aside: [] } });
  });
});
