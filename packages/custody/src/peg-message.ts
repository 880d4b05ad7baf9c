import type { Network } from '@oddlot/protocol';
import type { Hex } from 'viem';

/** What a relay signs to tell a venue of pegs: said twice it changes nothing, so it carries no time. */
export function pegMessage({ serviceNetwork }: Network, addresses: readonly Hex[]): string {
  return `Relay pegs of ${serviceNetwork}: ${addresses.join(',')}`;
}
