import type { Client } from '../client.ts';
import { SigningError } from '../errors.ts';
import { networkFault } from '../network-check.ts';

/**
 * Compares what a client signs for with what the venue says of itself, before the first order. A client does so by itself when a
 * signed action is refused as if somebody else had signed it.
 *
 * @throws SigningError that names both, HttpError, ApiError
 */
export async function checkNetwork(client: Pick<Client, 'info' | 'network'>): Promise<void> {
  const [own, told] = await Promise.all([client.network(), client.info.settings()]);
  const fault = networkFault(own, told);
  if (fault !== undefined) throw new SigningError(fault);
}
