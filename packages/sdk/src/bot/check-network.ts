import type { Client } from '../client.ts';
import { SigningError } from '../errors.ts';

/**
 * Compares what a client signs for with what the venue says of itself. A signature for another network recovers somebody
 * whom the venue does not know, and its refusal can't say why; this does, before the first order.
 *
 * @throws SigningError that names both, HttpError, ApiError
 */
export async function checkNetwork(client: Pick<Client, 'info' | 'network'>): Promise<void> {
  const [own, told] = await Promise.all([client.network(), client.info.settings()]);
  const pairs = [
    ['the network', own.serviceNetwork, told.service_network],
    ['chain id', own.chainId, told.chain_id],
    ['API version', own.apiVersion, told.api_version],
  ] as const;
  for (const [what, mine, theirs] of pairs) {
    if (mine === theirs) continue;
    throw new SigningError(`This client signs for ${what} ${mine}, and the venue is of ${theirs}`);
  }
}
