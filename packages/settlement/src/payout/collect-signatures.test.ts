import { keyValidator, type Validator } from '@oddlot/custody/signing';
import { type Hex, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { collectSignatures, TooFewSignaturesError } from './payout-sender.ts';

const domain = { chainId: 7, bridge: `0x${'b'.repeat(40)}` } as const;
const keys = [1, 2, 3].map((n) => keccak256(toHex(`validator ${n}`)));
const own = keys.map((key) => keyValidator(key, domain));
const known = new Set(keys.map((key) => privateKeyToAccount(key).address.toLowerCase() as Hex));
const request = {
  type: 'payout',
  payout: { withdrawalId: 1n, user: domain.bridge, destination: domain.bridge, usd: 5n },
} as const;

/** Returns a validator that never responds, and the abort signals it received. */
function hanging() {
  const signals: AbortSignal[] = [];
  const sign: Validator['sign'] = (_, signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  };
  return { signals, validator: { name: 'hanging', sign } };
}

test('R-withdraw: once there are enough signatures, the request to a validator that hangs is aborted', async () => {
  const { signals, validator } = hanging();
  const validators = [validator, own[0]!, own[2]!];
  const signed = await collectSignatures(request, {
    validators,
    bridge: { threshold: 2, validators: known },
  });
  const addresses = signed.map(({ address }) => address);
  expect(addresses).toEqual(addresses.toSorted());
  expect(new Set(addresses).size).toBe(2);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('unknown signers and refusals do not count, and both are reported to the operator', async () => {
  const refusing: Validator = {
    name: 'refusing',
    sign: () => Promise.reject(new Error('not owed')),
  };
  const unknownSigner = keyValidator(keccak256(toHex('stranger')), domain);
  const asked = collectSignatures(request, {
    validators: [own[0]!, refusing, unknownSigner],
    bridge: { threshold: 2, validators: known },
  });
  const error = await asked.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TooFewSignaturesError);
  expect(error).toMatchObject({
    message: '1 of 2 validators signed',
    detail: expect.stringMatching(/^refusing: not owed; .* is not a validator of the bridge$/),
  });
});
