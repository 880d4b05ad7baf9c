import type { Network } from '@oddlot/protocol';
import type { Hex } from 'viem';

/**
 * The text that a relay signs to register pegs with a venue. It is idempotent and therefore
 * contains no time.
 */
export function pegMessage({ serviceNetwork }: Network, addresses: readonly Hex[]): string {
  return `Relay pegs of ${serviceNetwork}: ${addresses.join(',')}`;
}
