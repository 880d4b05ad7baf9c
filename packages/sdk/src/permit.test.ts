import { recoverTypedDataAddress, serializeSignature, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { signPermit } from './permit.ts';
import { signAsSent } from '@oddlot/testing/sdk/sign-as-sent';
import { accountWallet, eip1193Wallet, privateKeyWallet } from './wallet.ts';

const KEY = `0x${'5'.repeat(64)}` as const;
const settings = {
  bridge2_contract_address: `0x${'b'.repeat(40)}`,
  usdc_contract_address: `0x${'c'.repeat(40)}`,
  settlement_chain_id: 421_614,
};
const terms = { settings, usd: 5_000_000, nonce: 3, deadline: 1_900_000_000 };

test('viem recovers the signer of a permit signed by any kind of wallet', async () => {
  const account = privateKeyToAccount(KEY);
  const own = await signPermit(privateKeyWallet(KEY), terms);
  expect(await signPermit(accountWallet(account as never), terms)).toEqual(own);
  expect(own).toMatchObject({
    user: account.address.toLowerCase(),
    usd: '5000000',
    deadline: '1900000000',
  });
  const { r, s, v } = own.signature;
  const signer = await recoverTypedDataAddress({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: 421_614,
      verifyingContract: settings.usdc_contract_address as Hex,
    },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: {
      owner: account.address,
      spender: settings.bridge2_contract_address as Hex,
      value: 5_000_000n,
      nonce: 3n,
      deadline: 1_900_000_000n,
    },
    signature: serializeSignature({ r: r as Hex, s: s as Hex, v: BigInt(v) }),
  });
  expect(signer).toBe(account.address);
});

test('a browser wallet receives the domain type, and integers as strings', async () => {
  const account = privateKeyToAccount(KEY);
  const sent: string[] = [];
  const provider = {
    request: async ({ params }: { method: string; params?: unknown[] }) => {
      sent.push(String(params?.[1]));
      return signAsSent(account, String(params?.[1]));
    },
  };
  const signed = await signPermit(eip1193Wallet(provider, account.address), terms);
  expect(signed).toEqual(await signPermit(privateKeyWallet(KEY), terms));
  const { message, types } = JSON.parse(sent[0]!);
  expect(types.EIP712Domain.map(({ name }: { name: string }) => name)).toEqual([
    'name',
    'version',
    'chainId',
    'verifyingContract',
  ]);
  expect(message).toMatchObject({ value: '5000000', nonce: '3', deadline: '1900000000' });
});
