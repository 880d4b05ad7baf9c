import { privateKeyWallet } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { seededKey, seededWallet } from './seeded-wallet.ts';

test.each(['account 0', 'admin', 'maker'])(
  "the wallet of seed and name %s has the same address and signatures as the SDK's wallet",
  async (name) => {
    const { privateKey, wallet } = seededWallet('some seed', name);
    expect(privateKey).toBe(seededKey('some seed', name));
    const reference = privateKeyWallet(privateKey);
    expect(wallet.address).toBe(reference.address);
    const request = {
      digest: new Uint8Array(32).fill(7),
      typedData: () => {
        throw new Error('not needed');
      },
    };
    expect(await wallet.sign(request)).toEqual(await reference.sign(request));
  },
);
