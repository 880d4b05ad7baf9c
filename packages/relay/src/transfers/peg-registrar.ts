import { pegMessage } from '@oddlot/custody/peg-message';
import { ApiError, HttpError, type Network, registerPegs } from '@oddlot/sdk';
import type { Hex, LocalAccount } from 'viem';
import { VENUE_REQUESTS, VenueUnavailableError } from '../venue-api.ts';

/**
 * Tells the venue of pegs over its operations port, signed by the relay's key, so that sending to them
 * costs no opening fee (R-limits-of-state). Done when the venue's log has them.
 */
export function pegRegistrar(options: {
  readonly url: string;
  readonly account: LocalAccount;
  readonly network: Network;
}): (addresses: readonly Hex[]) => Promise<void> {
  const { account, network, url } = options;
  return async (addresses) => {
    const message = pegMessage(network, addresses);
    const signature = await account.signMessage({ message });
    try {
      await registerPegs({ url, ...VENUE_REQUESTS }, { addresses, signature });
    } catch (cause) {
      if (cause instanceof ApiError) {
        throw new VenueUnavailableError(
          `the venue rejected the relay withdrawal addresses: ${cause.message}`,
          { cause },
        );
      }
      if (!(cause instanceof HttpError)) throw cause;
      throw new VenueUnavailableError(`no answer from ${url}/pegs`, { cause });
    }
  };
}
