import type { Network } from '@oddlot/protocol';
import type { Hex } from 'viem';

/**
 * Returns the text that a relay signs to register pegs with a venue. Registering is idempotent, so
 * the text contains no time.
 */
export function pegMessage({ serviceNetwork }: Network, addresses: readonly Hex[]): string {
  return `Relay pegs of ${serviceNetwork}: ${addresses.join(',')}`;
}
