import type { FaucetGrant } from '@oddlot/protocol';
import { readInfo, type InfoContext, type InfoOptions } from '../info/query-info.ts';
import { checkServiceRequest } from './check-service-request.ts';

/** What `faucet` takes. */
export type FaucetParameters = {
  readonly user: string;
  readonly accountType?: 'perp' | 'outcome' | undefined;
  /** On a local settlement chain rather than in the account: USDC, and ether to send it with. */
  readonly onChain?: boolean | undefined;
};

/**
 * Asks a testnet for test USDC; the first grant makes the account. It is asked once only: after a
 * lost answer a second request would be refused for coming too soon.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function faucet(
  context: InfoContext,
  parameters: FaucetParameters,
  { signal }: InfoOptions = {},
): Promise<FaucetGrant> {
  checkServiceRequest('requestFund', parameters);
  const body = JSON.stringify(parameters);
  return readInfo(context, await context.http.postOnce('/request-fund', body, signal));
}
