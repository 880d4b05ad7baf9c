import { createECDH, createHash } from 'node:crypto';
import { addressOf } from '@oddlot/protocol';
import { privateKeyWallet, type Wallet } from '@oddlot/sdk';

/** A key in memory that follows from a seed and a name. */
type SeededWallet = { readonly privateKey: `0x${string}`; readonly wallet: Wallet };

/**
 * Its address is known at once, by the curve of the runtime; the one of the SDK computes tables when it is first used, and most accounts of a
 * test never sign.
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

/** A private key that follows from a seed and a name; everybody can compute it, so it is for tests alone. */
export function seededKey(seed: string, name: string): `0x${string}` {
  return `0x${seededBytes(seed, `key ${name}`).toString('hex')}`;
}

/** 32 bytes that follow from the seed; another purpose has others. */
export function seededBytes(seed: string, purpose: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['oddlot testkit', seed, purpose]))
    .digest();
}
