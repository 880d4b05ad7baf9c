import { pegMessage } from '@oddlot/custody/peg-message';
import type { Network } from '@oddlot/protocol';
import type { Hex, LocalAccount } from 'viem';
import { type Post, VenueUnavailableError } from '../venue-api.ts';

/**
 * Tells the venue of pegs over its operations port, signed by the relay's key, so that sending to them
 * costs no opening fee (R-limits-of-state). Done when the venue's log has them.
 */
export function pegRegistrar(options: {
  readonly post: Post;
  readonly account: LocalAccount;
  readonly network: Network;
}): (addresses: readonly Hex[]) => Promise<void> {
  const { account, network, post } = options;
  return async (addresses) => {
    const message = pegMessage(network, addresses);
    const signature = await account.signMessage({ message });
    const answer = await post('/pegs', JSON.stringify({ addresses, signature }));
    if (answer['success'] === true) return;
    throw new VenueUnavailableError(`the venue took no pegs: ${String(answer['message'])}`);
  };
}
