import type { Network } from '@oddlot/protocol';
import type { Hex } from 'viem';

/**
 * Returns the text that a relay signs to register pegs with a venue. Registering is idempotent, so
 * the text includes no timestamp.
 */
export function pegMessage({ serviceNetwork }: Network, addresses: readonly Hex[]): string {
  return `Relay pegs of ${serviceNetwork}: ${addresses.join(',')}`;
}
