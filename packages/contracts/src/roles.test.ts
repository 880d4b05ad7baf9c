import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { BRIDGE_ABI } from './outputs/bridge.ts';
import {
  ALICE,
  UNPRIVILEGED_KEY,
  BridgeWorld,
  bridgeCode,
  CODES,
  DELAY_SECONDS,
  GUARDIAN,
  LARGE_USD,
  payoutOf,
  refused,
  THRESHOLD,
  VALIDATORS,
} from '@oddlot/testing/contracts/bridge-world';
import { keyOf, sortKeys, type Key } from '@oddlot/testing/contracts/keys';
import { signMessage } from '@oddlot/testing/contracts/sign';

const NEXT = sortKeys(['four', 'five', 'six', 'seven'].map((name) => keyOf(`validator ${name}`)));
const NEXT_GUARDIAN = keyOf('next guardian');
const rotation = { validators: NEXT, threshold: 3n, guardian: NEXT_GUARDIAN, nonce: 0n };

let world: BridgeWorld;

beforeEach(async () => {
  world = await BridgeWorld.open();
  await world.fill(10n * LARGE_USD);
});

describe('the bridge contract has only the documented powers', () => {
  test('the contract has no owner, accepts no ether, and has no other functions that move funds', () => {
    const changing = BRIDGE_ABI.filter(
      (entry) => entry.type === 'function' && entry.stateMutability === 'nonpayable',
    );
    expect(changing.map((entry) => ('name' in entry ? entry.name : '')).sort()).toEqual([
      'batchPayOut',
      'batchedDepositWithPermit',
      'cancel',
      'cancelQueued',
      'deposit',
      'depositFor',
      'finish',
      'pause',
      'payOut',
      'rotate',
      'unpause',
      'unpauseBySignatures',
    ]);
    const mutabilities = BRIDGE_ABI.map((entry) =>
      'stateMutability' in entry ? entry.stateMutability : 'none',
    );
    expect(new Set(mutabilities)).toEqual(new Set(['none', 'nonpayable', 'view']));
  });

  test('the contract exposes its parties and its signature domain', async () => {
    expect(await world.read('validators')).toEqual(VALIDATORS.map(({ address }) => address));
    expect(await world.read('threshold')).toBe(THRESHOLD);
    expect(await world.read('guardian')).toBe(GUARDIAN.address);
    expect(await world.read('largeUsd')).toBe(LARGE_USD);
    expect(await world.read('delaySeconds')).toBe(BigInt(DELAY_SECONDS));
    expect(await world.read('token')).toBe(world.token.address);
    expect(await world.read('isValidator', [VALIDATORS[0]?.address])).toBe(true);
    expect(await world.read('isValidator', [UNPRIVILEGED_KEY.address])).toBe(false);
    const domain = (await world.read('eip712Domain')) as readonly unknown[];
    const { chainId, verifyingContract } = world.domain;
    expect(domain.slice(1, 5)).toEqual(['OddlotBridge', '1', BigInt(chainId), verifyingContract]);
  });

  test('the refusal codes in the source match those in the tests', () => {
    const source = readFileSync(join(import.meta.dirname, 'Refusals.sol'), 'utf8');
    const found = [...source.matchAll(/uint32 constant (\w+) = (\d+);/g)];
    expect(Object.fromEntries(found.map(([, name, code]) => [name, Number(code)]))).toEqual(CODES);
  });

  const [first = UNPRIVILEGED_KEY, second = UNPRIVILEGED_KEY] = VALIDATORS;
  const ZERO = `0x${'0'.repeat(40)}`;
  test.each([
    ['nobody', { validators: [], threshold: 0n }],
    ['a threshold of zero', { threshold: 0n }],
    ['a threshold above the number of validators', { threshold: 4n }],
    ['a duplicate validator', { validators: [first.address, second.address, first.address] }],
    ['the zero address as a validator', { validators: [first.address, ZERO] }],
    ['no guardian', { guardian: ZERO }],
    [
      'more validators than can be verified',
      {
        validators: Array.from(
          { length: 65 },
          (_, i) => `0x${(i + 1).toString().padStart(40, '0')}`,
        ),
      },
    ],
  ])('a bridge with %s cannot be deployed', async (_, rest) => {
    const deployed = world.evm.deploy(UNPRIVILEGED_KEY, bridgeCode(world.token, rest));
    await expect(deployed).rejects.toThrow(refused('INVALID_VALIDATORS'));
  });

  test('a bridge cannot be deployed for a token address without code', async () => {
    const deployed = world.evm.deploy(
      UNPRIVILEGED_KEY,
      bridgeCode({ ...world.token, address: ALICE.address }),
    );
    await expect(deployed).rejects.toThrow(refused('INVALID_REQUEST'));
  });

  test('a bridge cannot be deployed with a delay given in milliseconds', async () => {
    const day = 86_400;
    const long = world.evm.deploy(
      UNPRIVILEGED_KEY,
      bridgeCode(world.token, { delaySeconds: 30 * day + 1 }),
    );
    await expect(long).rejects.toThrow(refused('INVALID_REQUEST'));
    await world.evm.deploy(UNPRIVILEGED_KEY, bridgeCode(world.token, { delaySeconds: 30 * day }));
  });
});

describe('the bridge can be paused', () => {
  test('only the guardian can start a pause, and the guardian can also end it', async () => {
    for (const key of [UNPRIVILEGED_KEY, ALICE, ...VALIDATORS]) {
      for (const name of ['pause', 'unpause']) {
        expect((await world.call(key, name)).error).toBe(refused('NOT_THE_GUARDIAN'));
      }
    }
    expect((await world.call(GUARDIAN, 'unpause')).error).toBe('ExpectedPause()');
    expect((await world.call(GUARDIAN, 'pause')).events).toEqual([
      { name: 'Paused', args: { account: GUARDIAN.address } },
    ]);
    expect(await world.read('paused')).toBe(true);
    expect((await world.call(GUARDIAN, 'pause')).error).toBe('EnforcedPause()');
    expect((await world.call(GUARDIAN, 'unpause')).ok).toBe(true);
  });

  test('a pause stops every payout, including queued ones, which resume afterwards', async () => {
    const large = payoutOf(1n, { usd: LARGE_USD });
    await world.payOut(large);
    world.evm.timeSeconds += DELAY_SECONDS;
    await world.call(GUARDIAN, 'pause');
    expect((await world.payOut(payoutOf(2n))).error).toBe('EnforcedPause()');
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [1n])).error).toBe('EnforcedPause()');
    expect((await world.call(UNPRIVILEGED_KEY, 'batchPayOut', [[], []])).error).toBe(
      'EnforcedPause()',
    );
    await world.call(GUARDIAN, 'unpause');
    expect((await world.payOut(payoutOf(2n))).ok).toBe(true);
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [1n])).ok).toBe(true);
  });

  test('the validators can end a pause without the guardian, with a new nonce for each pause', async () => {
    await world.call(GUARDIAN, 'pause');
    expect((await world.unpause(1n, VALIDATORS.slice(0, 1))).error).toBe(
      refused('TOO_FEW_SIGNATURES'),
    );
    expect((await world.unpause(0n)).error).toBe(refused('WRONG_NONCE'));
    expect((await world.unpause(2n)).error).toBe(refused('WRONG_NONCE'));
    expect((await world.unpause(1n)).events).toEqual([
      { name: 'Unpaused', args: { account: UNPRIVILEGED_KEY.address } },
    ]);
    expect((await world.unpause(1n)).error).toBe('ExpectedPause()');
  });

  test('signatures that end one pause do not end a later one', async () => {
    await world.call(GUARDIAN, 'pause');
    const signatures = await signMessage(VALIDATORS, world.domain, 'Unpause', { nonce: 1n });
    await world.call(GUARDIAN, 'unpause');
    await world.call(GUARDIAN, 'pause');
    const late = await world.call(UNPRIVILEGED_KEY, 'unpauseBySignatures', [1n, signatures]);
    expect(late.error).toBe(refused('WRONG_NONCE'));
    expect(await world.read('paused')).toBe(true);
  });
});

describe('the parties of the bridge can be rotated', () => {
  test('a rotation replaces all parties at once', async () => {
    const { events } = await world.rotate(rotation);
    const validators = NEXT.map(({ address }) => address);
    const guardian = NEXT_GUARDIAN.address;
    expect(events).toEqual([
      { name: 'Rotated', args: { validators, threshold: 3n, guardian, nonce: 0n } },
    ]);
    expect(await world.read('validators')).toEqual(validators);
    expect(await world.read('rotationNonce')).toBe(1n);
    expect((await world.payOut(payoutOf(1n))).error).toBe(refused('NOT_A_VALIDATOR'));
    expect((await world.payOut(payoutOf(1n), NEXT.slice(0, 2))).error).toBe(
      refused('TOO_FEW_SIGNATURES'),
    );
    expect((await world.payOut(payoutOf(1n), NEXT.slice(0, 3))).ok).toBe(true);
    expect((await world.call(GUARDIAN, 'pause')).error).toBe(refused('NOT_THE_GUARDIAN'));
    expect((await world.call(NEXT_GUARDIAN, 'pause')).ok).toBe(true);
  });

  test('a rotation needs signatures by the current validators and the current nonce', async () => {
    expect((await world.rotate(rotation, NEXT)).error).toBe(refused('NOT_A_VALIDATOR'));
    expect((await world.rotate({ ...rotation, nonce: 1n })).error).toBe(refused('WRONG_NONCE'));
    const one = await world.rotate(rotation, VALIDATORS.slice(0, 1));
    expect(one.error).toBe(refused('TOO_FEW_SIGNATURES'));
    const empty = await world.rotate({ ...rotation, threshold: 5n });
    expect(empty.error).toBe(refused('INVALID_VALIDATORS'));
    expect(await world.read('validators')).toEqual(VALIDATORS.map(({ address }) => address));
  });

  test('a rotation with a used nonce is invalid, whether it is a different rotation or a replay', async () => {
    const other = { ...rotation, validators: sortKeys([...VALIDATORS, ...NEXT]) };
    expect((await world.rotate(rotation)).ok).toBe(true);
    expect((await world.rotate(other)).error).toBe(refused('WRONG_NONCE'));
    const back = { validators: VALIDATORS, threshold: THRESHOLD, guardian: GUARDIAN, nonce: 1n };
    expect((await world.rotate(back, NEXT)).ok).toBe(true);
    expect((await world.rotate(rotation)).error).toBe(refused('WRONG_NONCE'));
    expect((await world.payOut(payoutOf(1n))).ok).toBe(true);
  });

  test('a rotation is possible during a pause, so the guardian cannot prevent its own replacement', async () => {
    await world.call(GUARDIAN, 'pause');
    expect((await world.rotate(rotation)).ok).toBe(true);
    expect((await world.call(GUARDIAN, 'unpause')).error).toBe(refused('NOT_THE_GUARDIAN'));
    expect((await world.unpause(1n, VALIDATORS)).error).toBe(refused('NOT_A_VALIDATOR'));
    expect((await world.unpause(1n, NEXT)).ok).toBe(true);
  });

  /**
   * Signatures by validators that stay in the set remain valid, but a payout with too few of them
   * is invalid.
   */
  const STAYS: readonly [string, (old: readonly Key[]) => readonly Key[], boolean][] = [
    ['two signers remain', (old) => [...old.slice(0, 2), ...NEXT.slice(0, 1)], true],
    ['one signer remains', (old) => [...old.slice(0, 1), ...NEXT.slice(0, 2)], false],
  ];
  test.each(STAYS)(
    'a payout signed before a rotation is checked against the new validators: %s',
    async (_, stay, isPaid) => {
      const payout = payoutOf(1n);
      const signatures = await world.signPayout(payout, VALIDATORS.slice(0, 2));
      const validators = stay(VALIDATORS);
      await world.rotate({ validators, threshold: 2n, guardian: GUARDIAN, nonce: 0n });
      expect((await world.call(UNPRIVILEGED_KEY, 'payOut', [payout, signatures])).ok).toBe(isPaid);
    },
  );

  test('after a rotation, queued payouts are controlled by the new guardian and validators', async () => {
    await world.payOut(payoutOf(1n, { usd: LARGE_USD }));
    await world.payOut(payoutOf(2n, { usd: LARGE_USD }));
    await world.payOut(payoutOf(3n, { usd: LARGE_USD }));
    await world.rotate(rotation);
    expect((await world.call(GUARDIAN, 'cancelQueued', [1n])).error).toBe(
      refused('NOT_THE_GUARDIAN'),
    );
    expect((await world.cancel(1n, VALIDATORS)).error).toBe(refused('NOT_A_VALIDATOR'));
    expect((await world.call(NEXT_GUARDIAN, 'cancelQueued', [1n])).ok).toBe(true);
    expect((await world.cancel(2n, NEXT)).ok).toBe(true);
    world.evm.timeSeconds += DELAY_SECONDS;
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [3n])).ok).toBe(true);
  });
});
