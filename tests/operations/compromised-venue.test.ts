import { cp } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { BRIDGE_ABI, BRIDGE_BYTECODE, TEST_USDC_ABI, TEST_USDC_BYTECODE } from '@oddlot/contracts';
import {
  type RunningValidator,
  readValidatorSettings,
  startValidator,
} from '@oddlot/custody/validator';
import { lowerAddressOf, signedBy, withdrawal } from '@oddlot/testing/custody';
import type { Command } from '@oddlot/engine';
import { createLogger } from '@oddlot/host/log';
import { freePorts, listen } from '@oddlot/testing/host';
import { NETWORKS, type Network } from '@oddlot/protocol';
import { createClient, privateKeyWallet } from '@oddlot/sdk';
import { address, hash } from '@oddlot/units';
import { type Abi, type Hex, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openOwnLedger } from '../../packages/audit/src/validator/open-own-ledger.ts';
import { PROOF_HEADER, proofOf } from '../../packages/custody/src/signing/validator-wire.ts';
import type { LogEntry } from '../../packages/replica/src/block.ts';
import { type Chain, chainAt, post } from '../support/chain.ts';
import { CHAIN_ID, startChain, type TestChain } from '../support/local-chain.ts';
import { entriesOf, CompromisedVenue } from '../support/compromised-venue.ts';
import {
  FIXED_PRICE_FLAGS,
  removeTemporaryData,
  temporaryData,
  Venue,
} from '../support/venue-process.ts';

/**
 * Goal: an attacker in control of a venue's process can stop payouts but cannot steal (R-withdraw).
 * Method: a real venue has a bridge on an external chain, and two validators that follow the log
 * sign the payouts. An attacker then takes over the venue's data and logs arbitrary commands with
 * matching hashes and checksums.
 */

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const LOOK = { timeout: 60_000, interval: 100 };
const KEYS: readonly Hex[] = [`0x${'51'.repeat(32)}`, `0x${'52'.repeat(32)}`];
const RELAYER_KEY: Hex = `0x${'e1'.repeat(32)}`;
const RELAYER = privateKeyToAccount(RELAYER_KEY);
const THIEF_KEY: Hex = `0x${'99'.repeat(32)}`;
const THIEF = lowerAddressOf(THIEF_KEY);
const SILENT = createLogger({ level: 'silent' });

let chain: TestChain;
let money: Chain;
let venue: Venue;
let network: Network;
let token: Hex;
let bridge: Hex;
let alice: Awaited<ReturnType<typeof depositor>>;
/** The log that validators read, served by either the venue or the attacker. */
let log: { url: string; from: string };
let logServer: Server;
const urls: string[] = [];
const data: string[] = [];
let honest: readonly LogEntry[] = [];
const validators: RunningValidator[] = [];
let stolen: CompromisedVenue | undefined;

let lastNonce = 0;
const nextNonce = (): number => (lastNonce = Math.max(lastNonce + 1, Date.now()));

async function deployed(abi: Abi, bytecode: Hex, args: readonly unknown[]): Promise<Hex> {
  const sent = await chain.wallet.deployContract({ abi, bytecode, args });
  const receipt = await chain.reads.waitForTransactionReceipt({ hash: sent });
  return receipt.contractAddress!.toLowerCase() as Hex;
}

async function depositor() {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const user = account.address.toLowerCase() as Hex;
  const gas = await chain.wallet.sendTransaction({ to: user, value: parseEther('0.1') });
  await chain.reads.waitForTransactionReceipt({ hash: gas });
  const mint = { address: token, abi: TEST_USDC_ABI, functionName: 'mint' } as const;
  const minted = await chain.wallet.writeContract({ ...mint, args: [user, usdc('500')] });
  await chain.reads.waitForTransactionReceipt({ hash: minted });
  await money.wallet(account).transfer(bridge, usdc('500'));
  const client = createClient({ url: venue.url, wallet: privateKeyWallet(key) });
  await expect
    .poll(async () => {
      const { data: state } = await post(venue.url, '/info', { type: 'clearinghouseState', user });
      return state?.withdrawable;
    }, LOOK)
    .toBe('500');
  return { key, user, client };
}

function flagsOf(at: number, place: string): readonly string[] {
  const named = ['--service-network', network.serviceNetwork, '--relayer', RELAYER.address];
  const bridged = ['--chain-id', String(CHAIN_ID), '--bridge', bridge, '--chain', chain.url];
  const own = ['--log', log.url, '--chain-confirmations', '1'];
  const port = ['--port', new URL(urls[at]!).port];
  return ['--key', 'env:KEY', ...named, ...bridged, ...own, ...port, '--data', place];
}

async function startValidators(places: readonly string[], more: readonly string[] = []) {
  for (const [at, place] of places.entries()) {
    const config = readValidatorSettings([...flagsOf(at, place), ...more]);
    const env = { KEY: KEYS[at]! };
    const now = () => Date.now();
    const openLedger = (settings: typeof config) => openOwnLedger(settings, { log: SILENT, now });
    validators[at] = await startValidator(config, { env, log: SILENT, now, openLedger });
  }
}

async function stopValidators(): Promise<void> {
  await Promise.all(validators.splice(0).map((validator) => validator.stop()));
}

/** Asks a validator to sign a payout, as the venue does. */
async function ask(at: number, payout: object): Promise<readonly [number, string]> {
  const body = JSON.stringify({ type: 'payout', chainId: CHAIN_ID, bridge, ...payout });
  const proof = await proofOf(RELAYER, body);
  const headers = { 'content-type': 'application/json', [PROOF_HEADER]: proof };
  const response = await fetch(`${urls[at]}/sign`, { method: 'POST', headers, body });
  const { message = 'signed' } = (await response.json()) as { readonly message?: string };
  return [response.status, message];
}

async function healthOf(at: number): Promise<Record<string, unknown>> {
  const health = (await (await fetch(`${urls[at]}/healthz`)).json()) as { replica: never };
  return health.replica;
}

/** Forwards a request for the log to the venue or to the attacker. */
async function passOn(path: string, response: ServerResponse): Promise<void> {
  try {
    const answer = await fetch(new URL(path, log.from));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    response.destroy();
  }
}

beforeAll(async () => {
  chain = await startChain();
  token = await deployed(TEST_USDC_ABI as Abi, TEST_USDC_BYTECODE, [chain.wallet.account.address]);
  const addresses = KEYS.map((key) => privateKeyToAccount(key).address);
  const large = [usdc('100000'), 20n];
  const guardian = chain.wallet.account.address;
  const args = [token, addresses, 2n, guardian, ...large];
  bridge = await deployed(BRIDGE_ABI as Abi, BRIDGE_BYTECODE, args);
  const value = parseEther('1');
  const gas = await chain.wallet.sendTransaction({ to: RELAYER.address, value });
  await chain.reads.waitForTransactionReceipt({ hash: gas });
  money = chainAt({ id: CHAIN_ID, rpcUrl: chain.url, bridge, token });
  const first = await freePorts(KEYS.length);
  urls.push(...KEYS.map((_, at) => `http://127.0.0.1:${first + at}`));
  const place = ['--chain', chain.url, '--settlement-rpc-url', chain.url];
  const contracts = ['--bridge-contract', bridge, '--usdc-contract', token];
  const signing = ['--relayer-key', 'env:RELAYER_KEY', '--validators', urls.join(',')];
  const pace = ['--chain-confirmations', '1', '--chain-every-ms', '200'];
  const calm = [...FIXED_PRICE_FLAGS, '--service-network', 'example.org', '--serve-log'];
  venue = await Venue.start(
    [...calm, ...place, ...contracts, ...signing, ...pace],
    await temporaryData(),
    { environment: { RELAYER_KEY } },
  );
  const { data: settings } = await post(venue.url, '/info', { type: 'settings' });
  network = { ...NETWORKS.testnet, serviceNetwork: settings.service_network };
  logServer = createServer((request, response) => void passOn(request.url ?? '', response));
  const port = await listen(logServer, 0, '127.0.0.1');
  log = { url: `http://127.0.0.1:${port}`, from: venue.operations };
  data.push(await temporaryData(), await temporaryData());
  await startValidators(data);
});

afterEach(async () => {
  if (honest.length === 0) return;
  await stopValidators();
  await stolen?.close();
  stolen = undefined;
});

afterAll(async () => {
  await stopValidators();
  logServer.close();
  await venue.remove();
  await chain.close();
  await removeTemporaryData();
});

test('R-withdraw: validators that follow the log sign the payouts that their own state requires, without querying the venue', async () => {
  alice = await depositor();
  const { client, user } = alice;
  await client.exchange.withdraw3({ destination: user, amount: '20' }, { confirm: 'executed' });
  const status = async () => (await client.info.withdrawals({ user }))[0]?.status;
  await expect.poll(status, LOOK).toBe('confirmed');
  expect(await money.balanceOf(user)).toBe(usdc('19.9'));
  for (const at of [0, 1]) {
    await expect.poll(async () => (await healthOf(at))['lag'], LOOK).toBe(0);
    expect(await healthOf(at)).toMatchObject({ finding: null, waits: null });
    const owed = { withdrawalId: '1', user, destination: user, usd: '19900000' };
    expect(await ask(at, { ...owed, usd: '19900001' })).toEqual([409, expect.any(String)]);
    const unknown = [404, expect.stringContaining('withdrawal 2 was never requested')];
    expect(await ask(at, { ...owed, withdrawalId: '2' })).toEqual(unknown);
  }
  await stopValidators();
  await venue.kill();
  honest = await entriesOf(venue.data);
});

describe('R-withdraw: an attacker in control of the venue cannot steal', () => {
  /** Validators that have been following the venue continue with the attacker's log. */
  async function steal(venueInOtherHands: CompromisedVenue): Promise<CompromisedVenue> {
    stolen = venueInOtherHands;
    log.from = stolen.url;
    const places = await Promise.all(
      data.map(async (each) => {
        const place = await temporaryData();
        await cp(each, place, { recursive: true });
        return place;
      }),
    );
    await startValidators(places);
    return stolen;
  }

  /** Creates a withdrawal that its owner has signed, and returns it with its id. */
  async function withdrawn(thieves: CompromisedVenue, key: Hex, amount: string): Promise<object> {
    const user = lowerAddressOf(key);
    const nonce = nextNonce();
    const { serviceNetwork } = network;
    const { shown } = await signedBy(
      key,
      withdrawal({ serviceNetwork, nonce }, { destination: user, amount }),
    );
    const { action, signature } = shown;
    const request = JSON.stringify({ action, nonce, signature });
    const { outcome } = await thieves.take(network, request);
    expect(outcome.reject).toBeUndefined();
    return { user, destination: user, withdrawalId: '2', usd: String(usdc(amount) - 100_000n) };
  }

  /** Checks that both validators reject the payout with this text. */
  async function refused(payout: object, why: RegExp): Promise<void> {
    const before = await money.balanceOf(bridge);
    for (const at of [0, 1]) {
      const says = async () => (await healthOf(at))['finding'];
      await expect.poll(says, LOOK).toMatch(why);
      const [status, message] = await ask(at, payout);
      expect(status).toBe(409);
      expect(message).toMatch(why);
    }
    expect(await money.balanceOf(bridge)).toBe(before);
  }

  const AMOUNT = 400_000_000;
  const nothingSigned = () => ({
    signer: address(alice.user),
    nonce: nextNonce(),
    txHash: hash(`0x${'ab'.repeat(32)}`),
  });

  test.each<[string, () => Command, RegExp]>([
    [
      'test money',
      () => ({
        type: 'creditFaucet',
        account: address(THIEF),
        subAccount: 'perp',
        amountMicroUsdc: AMOUNT,
      }),
      /400000000 micro-USDC for 0x.* without a source: this venue has no test funds/,
    ],
    [
      'an unsigned send',
      () => ({
        type: 'sendToken',
        authority: nothingSigned(),
        destination: address(THIEF),
        token: 0,
        amountMicroUsdc: AMOUNT,
        from: 'perp',
        to: 'perp',
      }),
      /sendToken has no signed request/,
    ],
  ])('validators do not sign for an invented balance: %s', async (_, command, why) => {
    const thieves = await steal(await CompromisedVenue.open(venue.data));
    expect((await thieves.invent(command())).outcome.reject).toBeUndefined();
    await refused(await withdrawn(thieves, THIEF_KEY, '300'), why);
  });

  test("validators do not sign a withdrawal invented in another user's name", async () => {
    const thieves = await steal(await CompromisedVenue.open(venue.data));
    const terms = { destination: THIEF, amount: '400' };
    const { serviceNetwork } = network;
    const signed = await signedBy(
      THIEF_KEY,
      withdrawal({ serviceNetwork, nonce: nextNonce() }, terms),
    );
    const { action, nonce, signature } = signed.shown;
    const request = JSON.stringify({ action, nonce, signature });
    const command = {
      type: 'withdraw',
      authority: { signer: address(alice.user), nonce, txHash: hash(signed.txHash) },
      destination: address(THIEF),
      amountMicroUsdc: AMOUNT,
    } as const;
    expect((await thieves.invent(command, request)).outcome.reject).toBeUndefined();
    const payout = {
      user: alice.user,
      destination: THIEF,
      withdrawalId: '2',
      usd: String(AMOUNT - 100_000),
    };
    const why = new RegExp(
      `the log records the signer ${alice.user}, but ${THIEF} signed the request`,
    );
    await refused(payout, why);
  });

  test('validators do not sign terms other than those the owner signed', async () => {
    const thieves = await steal(await CompromisedVenue.open(venue.data));
    const { serviceNetwork } = network;
    const nonce = nextNonce();
    const terms = { destination: alice.user, amount: '10' };
    const signed = await signedBy(alice.key, withdrawal({ serviceNetwork, nonce }, terms));
    const { action, signature } = signed.shown;
    const request = JSON.stringify({ action, nonce, signature });
    const command = (await thieves.derived(network, request)) as never as Record<string, unknown>;
    const changed = { ...command, destination: THIEF, amountMicroUsdc: AMOUNT } as never as Command;
    expect((await thieves.invent(changed, request)).outcome.reject).toBeUndefined();
    const payout = { user: alice.user, destination: THIEF, withdrawalId: '2' };
    await refused(
      { ...payout, usd: String(AMOUNT - 100_000) },
      /the request asks for .*"amountMicroUsdc":10000000.*but the log contains .*"amountMicroUsdc":400000000/,
    );
  });

  /** Returns the deposit credited by the venue. */
  const deposit = (): Extract<Command, { type: 'creditDeposit' }> => {
    const all = honest.flatMap(({ commands }) => commands.map(({ command }) => command));
    const found = all.find((command) => command.type === 'creditDeposit');
    if (found?.type !== 'creditDeposit') throw new Error('there was a deposit');
    return found;
  };

  test.each<[string, () => Command, RegExp]>([
    [
      'that does not exist',
      () => ({
        ...deposit(),
        account: address(THIEF),
        source: { ...deposit().source, txHash: hash(`0x${'ee'.repeat(32)}`) },
      }),
      /the deposit does not exist on the chain: log \d+ of 0xeeee/,
    ],
    [
      'of another place of the same transaction',
      () => ({
        ...deposit(),
        account: address(THIEF),
        source: { ...deposit().source, logIndex: deposit().source.logIndex + 1 },
      }),
      /the deposit does not exist on the chain/,
    ],
  ])('validators do not sign for a deposit %s', async (_, command, why) => {
    const thieves = await steal(await CompromisedVenue.open(venue.data));
    expect((await thieves.invent(command())).outcome.reject).toBeUndefined();
    await refused(await withdrawn(thieves, THIEF_KEY, '300'), why);
  });

  test.each<[string, (command: Command) => Command, RegExp]>([
    [
      'for another user',
      (command) => ({ ...command, account: address(THIEF) }) as Command,
      /is for 0x.*, but the log credits 0x/,
    ],
    [
      'of a higher amount',
      (command) => ({ ...command, amountMicroUsdc: 900_000_000 }) as Command,
      /credits 900000000 micro-USDC to .*, but only 500000000 micro-USDC arrived/,
    ],
  ])('new validators do not sign for a deposit %s', async (_, change, why) => {
    const changed = (entry: LogEntry): LogEntry => ({
      ...entry,
      commands: entry.commands
        .filter(({ command }) => command.type !== 'attest')
        .map((logged) =>
          logged.command.type === 'creditDeposit'
            ? { ...logged, command: change(logged.command) }
            : logged,
        ),
    });
    stolen = await CompromisedVenue.rewritten(venue.data, changed);
    log.from = stolen.url;
    await startValidators([await temporaryData(), await temporaryData()]);
    const payout = { user: alice.user, destination: alice.user, withdrawalId: '2', usd: '1' };
    await refused(payout, why);
  });

  test('validators do not sign after a block they have already seen was changed', async () => {
    const changedAt = honest.findIndex(({ commands }) =>
      commands.some(({ command }) => command.type === 'withdraw'),
    );
    // The withdrawal is left out, so that its amount would be available again.
    const without = (entry: LogEntry, index: number): LogEntry => ({
      ...entry,
      commands: entry.commands.filter(
        ({ command }) =>
          command.type !== 'attest' &&
          !(index >= changedAt && ['settleWithdrawal', 'withdraw'].includes(command.type)),
      ),
    });
    const thieves = await steal(
      await CompromisedVenue.rewritten(venue.data, (entry) => without(entry, entry.seq - 1)),
    );
    await withdrawn(thieves, alice.key, '5');
    const payout = await withdrawn(thieves, alice.key, '450');
    await refused(payout, /its hash is 0x.* here, but the venue reports 0x/);
  });

  test('new validators do not sign for a log in which a withdrawal command was changed', async () => {
    const change = (entry: LogEntry): LogEntry => ({
      ...entry,
      commands: entry.commands
        .filter(({ command }) => command.type !== 'attest')
        .map((logged) =>
          logged.command.type === 'withdraw'
            ? { ...logged, command: { ...logged.command, destination: address(THIEF) } }
            : logged,
        ),
    });
    stolen = await CompromisedVenue.rewritten(venue.data, change);
    log.from = stolen.url;
    await startValidators([await temporaryData(), await temporaryData()]);
    const payout = { user: alice.user, destination: THIEF, withdrawalId: '1', usd: '19900000' };
    await refused(payout, /the request asks for .* but the log contains/);
  });
});
