import { createECDH, createHash } from 'node:crypto';
import { addressOf } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';

/** The labels of the simulated traders. Their keys are derived from them. */
export const BOT_LABELS = {
  makers: ['maker 1', 'maker 2'],
  takers: ['taker 1', 'taker 2'],
} as const;

/** Returns the accounts of all simulated traders, so that clients can tell them from real users. */
export function simulatedAccounts(): readonly Address[] {
  return Object.values(BOT_LABELS)
    .flat()
    .map((label) => {
      const curve = createECDH('secp256k1');
      curve.setPrivateKey(botKey(label));
      return addressOf(curve.getPublicKey());
    });
}

/**
 * Returns the private key for a label. Separate from the wallet, so that a venue that only lists
 * the accounts need not load the signing code.
 */
export function botKey(label: string): Buffer {
  return createHash('sha256').update(`oddlot simulated trader ${label}`).digest();
}
