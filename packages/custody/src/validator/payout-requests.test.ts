import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@oddlot/host/log';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { remoteValidator } from '../signing/remote-validator.ts';
import { ModelLedger } from '@oddlot/testing/custody/model-ledger';
import {
  conversion,
  lowerAddressOf,
  signedBy,
  type SignedRequest,
  withdrawal,
  wrappedBy,
} from '@oddlot/testing/custody/signed-requests';
import { type RunningValidator, startValidator } from './start-validator.ts';
import { readValidatorSettings } from './validator-settings.ts';

const key = (digits: string): Hex => `0x${digits.repeat(32)}`;
const KEY = key('51');
const USER_KEY = key('a1');
const USER = lowerAddressOf(USER_KEY);
const THIEF_KEY = key('f1');
const THIEF = lowerAddressOf(THIEF_KEY);
const SIGNER_KEYS = [key('c1'), key('c2'), key('c3')];
const SET = { authorizedUsers: SIGNER_KEYS.map(lowerAddressOf), threshold: 2 };
const DESTINATION: Hex = `0x${'d1'.repeat(20)}`;
const RELAYER = privateKeyToAccount(key('e1'));
const DOMAIN = { chainId: 421_614, bridge: `0x${'b1'.repeat(20)}` } as const;
const NAME = 'example.org-3fa9c1d2';
const DAY_MS = 86_400_000;

let folder = '';
let ledger: ModelLedger;
let running: RunningValidator | undefined;
let nowMs = 0;
let nonce = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-validator-'));
  ledger = await new ModelLedger().open();
  ledger.user = USER;
  [nowMs, nonce] = [1_000_000, 0];
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(flags: readonly string[] = []): Promise<void> {
  await running?.stop();
  const places = ['--venues', ledger.url, '--data', folder, '--port', '0', '--key', 'env:KEY'];
  const names = ['--service-network', NAME, '--relayer', RELAYER.address];
  const domain = ['--chain-id', String(DOMAIN.chainId), '--bridge', DOMAIN.bridge];
  const config = readValidatorSettings([...places, ...names, ...domain, ...flags]);
  const log = createLogger({ level: 'silent' });
  running = await startValidator(config, { env: { KEY }, log, now: () => nowMs });
}

type Terms = { readonly id?: number; readonly to?: Hex; readonly amount?: string };

/** Requests a payout on these terms, which the venue's ledger confirms, and returns the result. */
async function outcome({ amount = '2', id = 7, to = DESTINATION }: Terms = {}): Promise<string> {
  const row = { id, time: 5, destination: to, amount, fee: '0.1', status: 'held' };
  ledger.rows = [row];
  const usd = BigInt(Math.round(Number(amount) * 10)) * 100_000n - 100_000n;
  const payout = { withdrawalId: BigInt(id), user: ledger.user as Hex, destination: to, usd };
  const validator = remoteValidator(running!.url, DOMAIN, { as: RELAYER });
  return await validator.sign({ type: 'payout', payout }, new AbortController().signal).then(
    () => 'signed',
    (error: Error) => error.message,
  );
}

const named = (serviceNetwork = NAME) => ({ serviceNetwork, nonce: ++nonce });
const asks = (terms: Terms = {}, name?: string) =>
  withdrawal(named(name), { destination: terms.to ?? DESTINATION, amount: terms.amount ?? '2' });

/** Makes the venue show these requests and claim that the last one caused the withdrawal. */
function show(...requests: readonly SignedRequest[]): void {
  ledger.requests = [...ledger.requests, ...requests];
  ledger.asking = [requests.at(-1)!.txHash];
}

describe('R-withdraw: a validator checks the request of a payout', () => {
  test('the validator signs a payout that the account itself has requested, only on these terms and only once', async () => {
    await start();
    show(await signedBy(USER_KEY, asks()));
    expect(await outcome()).toBe('signed');
    // The venue uses a second withdrawal number for the same request, both before and after a
    // restart.
    expect(await outcome({ id: 8 })).toBe('withdrawal 8: the request was already paid');
    await start();
    expect(await outcome({ id: 8 })).toBe('withdrawal 8: the request was already paid');
    expect(await outcome()).toBe('signed');
    show(await signedBy(USER_KEY, asks()));
    expect(await outcome({ id: 8 })).toBe('signed');
  });

  test('the validator signs no payout requested without a signature, by another account, or for another amount, destination or venue', async () => {
    await start();
    expect(await outcome()).toBe('withdrawal 7: no request was found');
    const thiefs = await signedBy(THIEF_KEY, asks());
    show(thiefs);
    expect(await outcome()).toBe(`${thiefs.txHash} was made by ${THIEF}, not by ${USER}`);
    const his = await signedBy(USER_KEY, asks());
    show(his);
    expect(await outcome({ to: THIEF })).toBe(`${his.txHash} goes to ${DESTINATION}`);
    expect(await outcome({ amount: '400' })).toBe(`${his.txHash} is for 2 USDC`);
    // Here the venue keeps most of the amount as its fee.
    show(await signedBy(USER_KEY, asks({ amount: '50' })));
    expect(await outcome({ amount: '2' })).toContain('is for 50 USDC');
    show(await signedBy(USER_KEY, asks({}, 'other.org-00000000')));
    expect(await outcome()).toContain(`it was signed for other.org-00000000, not for ${NAME}`);
    // The venue shows the signature of one request under the hash of another.
    const changed = { ...his.shown, action: { ...his.shown.action, destination: THIEF } };
    show({ txHash: his.txHash, shown: changed as typeof his.shown });
    ledger.requests = ledger.requests.filter(({ shown }) => shown !== his.shown);
    expect(await outcome({ to: THIEF })).toContain(`returns another request as ${his.txHash}`);
    const send = { ...asks(), type: 'approveAgent', agentAddress: DESTINATION, agentName: '' };
    show(await signedBy(USER_KEY, send));
    expect(await outcome()).toContain('is not a withdrawal');
    ledger.requests = [];
    expect(await outcome()).toContain('the venue does not return');
  });

  test('the validator signs a payout that a vault has requested with its own key', async () => {
    // A vault is an account whose address has a key like any other.
    ledger.user = THIEF;
    await start();
    show(await signedBy(THIEF_KEY, asks()));
    expect(await outcome()).toBe('signed');
  });

  test('R-multisig: the validator accepts enough signatures by signers that the account appointed, or by their successors', async () => {
    await start();
    const becomes = await signedBy(USER_KEY, conversion(named(), SET));
    const two = SIGNER_KEYS.slice(0, 2);
    const next = { authorizedUsers: [lowerAddressOf(key('c9'))], threshold: 1 };
    const replaces = await wrappedBy(two, USER, conversion(named(), next));
    ledger.requests = [becomes, replaces];
    ledger.changes = [becomes.txHash];
    show(await wrappedBy(two, USER, asks()));
    expect(await outcome()).toBe('signed');
    show(await wrappedBy([SIGNER_KEYS[0]!], USER, asks()));
    expect(await outcome({ id: 8 })).toContain(`has 1 of the 2 signatures that ${USER} needs`);
    show(await wrappedBy([THIEF_KEY, ...two], USER, asks()));
    expect(await outcome({ id: 8 })).toContain(
      `was sent by ${THIEF}, who is not a signer of the account`,
    );
    show(await signedBy(USER_KEY, asks()));
    expect(await outcome({ id: 8 })).toContain(
      `was made only by ${USER}, although the account has signers`,
    );
    // After the validator has seen the signer set, the venue can no longer hide it, even after a
    // restart.
    ledger.changes = [];
    await start();
    expect(await outcome({ id: 8 })).toBe(`the venue withholds signer changes of ${USER}`);
    ledger.changes = [becomes.txHash, replaces.txHash];
    show(await wrappedBy(two, USER, asks()));
    expect(await outcome({ id: 8 })).toContain('who is not a signer');
    show(await wrappedBy([key('c9')], USER, asks()));
    expect(await outcome({ id: 8 })).toBe('signed');
  });

  test('R-multisig: the validator accepts no signer invented by the venue', async () => {
    await start();
    const own = { authorizedUsers: [THIEF], threshold: 1 };
    const made = await signedBy(THIEF_KEY, conversion(named(), own));
    const wrapped = await wrappedBy([THIEF_KEY], USER, conversion(named(), own));
    ledger.requests = [made, wrapped];
    show(await wrappedBy([THIEF_KEY], USER, asks()));
    expect(await outcome()).toContain(`has a multi-sig wrapper, but ${USER} has no signers`);
    ledger.changes = [made.txHash];
    expect(await outcome()).toContain(`${made.txHash} was made by ${THIEF}, not by ${USER}`);
    ledger.changes = [wrapped.txHash];
    expect(await outcome()).toContain(`has a multi-sig wrapper, but ${USER} has no signers`);
  });
});

test('R-deficit: a validator signs no new payouts while the insurance fund is deep below zero', async () => {
  await start();
  show(await signedBy(USER_KEY, asks()));
  ledger.status = { insuranceFund: '-5000', withdrawalsWait: true };
  expect(await outcome()).toBe('withdrawals are on hold: the insurance fund is far below zero');
  ledger.status = { insuranceFund: '-5', withdrawalsWait: false };
  expect(await outcome()).toBe('signed');
  ledger.status = { insuranceFund: '-5000', withdrawalsWait: true };
  // Existing signatures are still returned.
  expect(await outcome()).toBe('signed');
});

describe('a validator has daily limits', () => {
  const LIMITS = ['--day-limit-usdc', '10', '--account-day-limit-usdc', '6'];
  const pays = async (id: number, amount: string, payer = USER_KEY): Promise<string> => {
    ledger.user = lowerAddressOf(payer);
    show(await signedBy(payer, asks({ amount })));
    return await outcome({ id, amount });
  };

  test('the daily limit applies per account and in total, and is released evenly over the day, even across a restart', async () => {
    await start(LIMITS);
    expect(await pays(1, '5.1')).toBe('signed');
    expect(await pays(2, '3.1')).toBe('the daily limit per account is 6 USDC; 1 USDC are left');
    expect(await pays(3, '4.1', key('a2'))).toBe('signed');
    expect(await pays(4, '3.1', key('a3'))).toBe('the daily limit is 10 USDC; 1 USDC are left');
    nowMs += DAY_MS / 6;
    await start(LIMITS);
    // In a sixth of a day, a sixth of each limit is released.
    expect(await pays(2, '3.1')).toBe('the daily limit per account is 6 USDC; 2 USDC are left');
    expect(await pays(4, '3.1', key('a3'))).toBe(
      'the daily limit is 10 USDC; 2.666666 USDC are left',
    );
    nowMs += DAY_MS / 6;
    expect(await pays(2, '3.1')).toBe('signed');
    expect(await pays(4, '3.1', key('a3'))).toBe(
      'the daily limit is 10 USDC; 1.333333 USDC are left',
    );
    nowMs += 5 * DAY_MS;
    expect(await pays(4, '3.1', key('a3'))).toBe('signed');
  });

  test('the daily limit is 1,000,000 USDC in total and 250,000 USDC per account by default', () => {
    const required = ['--key', 'k', '--chain-id', '1', '--bridge', DOMAIN.bridge];
    const more = ['--venues', 'http://v', '--service-network', NAME, '--relayer', RELAYER.address];
    const { accountDayLimitUsdc, dayLimitUsdc } = readValidatorSettings([...required, ...more]);
    expect([dayLimitUsdc, accountDayLimitUsdc]).toEqual([1_000_000, 250_000]);
  });
});

test('the /sign endpoint answers only its own venue and does no work for other clients', async () => {
  await start();
  show(await signedBy(USER_KEY, asks()));
  const payout = { withdrawalId: 7n, user: USER, destination: DESTINATION, usd: 1_900_000n };
  const { signal } = new AbortController();
  for (const as of [undefined, privateKeyToAccount(THIEF_KEY)]) {
    const asked = remoteValidator(running!.url, DOMAIN, { as });
    await expect(asked.sign({ type: 'payout', payout }, signal)).rejects.toThrow(
      `this validator accepts requests only from relayer ${RELAYER.address.toLowerCase()}`,
    );
  }
  expect(ledger.asked).toEqual([]);
  expect(await outcome()).toBe('signed');
});
