import { createECDH, createHash } from 'node:crypto';
import { addressOf } from '@oddlot/protocol';
import { privateKeyWallet, type Wallet } from '@oddlot/sdk';

/** A key in memory, derived from a seed and a name. */
type SeededWallet = { readonly privateKey: `0x${string}`; readonly wallet: Wallet };

/**
 * Returns a wallet whose address is computed with the runtime's curve code, which needs no setup.
 * The SDK's curve code builds tables on first use, and most accounts in a test never sign.
 */
export function seededWallet(seed: string, name: string): SeededWallet {
  const privateKey = seededKey(seed, name);
  let signing: Wallet | undefined;
  const wallet: Wallet = {
    address: addressOfKey(privateKey),
    isInteractive: false,
    sign: (request) => {
      signing ??= privateKeyWallet(privateKey);
      return signing.sign(request);
    },
  };
  return { privateKey, wallet };
}

function addressOfKey(privateKey: `0x${string}`): Wallet['address'] {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(privateKey.slice(2), 'hex');
  return addressOf(curve.getPublicKey());
}

/**
 * Derives a private key from a seed and a name. The key can be recomputed by anyone, so it is for
 * tests only.
 */
export function seededKey(seed: string, name: string): `0x${string}` {
  return `0x${seededBytes(seed, `key ${name}`).toString('hex')}`;
}

/** Derives 32 bytes from the seed, different for each purpose. */
export function seededBytes(seed: string, purpose: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['oddlot testkit', seed, purpose]))
    .digest();
}
