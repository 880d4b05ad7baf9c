import { createECDH, createHash } from 'node:crypto';
import { addressOf } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';

/** What simulated traders are called; their keys are made of these. */
export const BOT_LABELS = {
  makers: ['maker 1', 'maker 2'],
  takers: ['taker 1', 'taker 2'],
} as const;

/** The accounts of all of them, so that nobody need take them for people. */
export function simulatedAccounts(): readonly Address[] {
  return Object.values(BOT_LABELS)
    .flat()
    .map((label) => {
      const curve = createECDH('secp256k1');
      curve.setPrivateKey(botKey(label));
      return addressOf(curve.getPublicKey());
    });
}

/** The private key of a label. Here and not with the wallet: a venue that names the accounts need not load what signs for them. */
export function botKey(label: string): Buffer {
  return createHash('sha256').update(`oddlot simulated trader ${label}`).digest();
}
