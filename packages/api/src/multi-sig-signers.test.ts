import { expect, test } from 'vitest';
import { hash, type Address } from '@oddlot/units';
import { testKey } from '@oddlot/testing/venue/http/client';
import { TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { MultiSigSigners } from './http/signature-explainer.ts';

const [one, two, alice, bob, carol] = [1, 2, 3, 4, 5].map((byte) => testKey(byte).address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];

test("R-multisig: a signer is known as long as it belongs to an account's set", () => {
  const replica = new TestReplica();
  for (const account of [one, two]) replica.credit(account);
  let nonce = replica.nowMs;
  /** Sets the signers of an account. If it already has signers, they sign the change. */
  const convert = (account: Address, users: readonly Address[] | null): void => {
    nonce++;
    const before = replica.state.accounts[replica.state.accountIndex.get(account) ?? -1]?.multiSig;
    const authority = {
      signer: before?.users[0] ?? account,
      nonce,
      txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`),
      ...(before && { multiSig: { user: account, signers: before.users } }),
    };
    const signers = users && { users, threshold: 1 };
    const { outcome } = replica.apply({ type: 'convertToMultiSig', authority, signers });
    expect(outcome.reject).toBeUndefined();
  };
  const known = (signers: MultiSigSigners) =>
    [alice, bob, carol].map((address) => signers.has(address));

  const asked = new MultiSigSigners(replica);
  expect(known(asked)).toEqual([false, false, false]);
  convert(one, [alice, bob]);
  expect(known(asked)).toEqual([true, true, false]);
  convert(two, [bob, carol]);
  expect(known(asked)).toEqual([true, true, true]);
  convert(one, [alice]);
  expect(known(asked)).toEqual([true, true, true]);
  convert(two, null);
  expect(known(asked)).toEqual([true, false, false]);
  // A new index reads the signers from the accounts.
  expect(known(new MultiSigSigners(replica))).toEqual([true, false, false]);
});
