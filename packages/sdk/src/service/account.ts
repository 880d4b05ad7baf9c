import {
  type AccountStatus,
  checkShape,
  type FaucetGrant,
  SERVICE_SHAPES,
  type ServiceRequestName,
} from '@oddlot/protocol';
import { type InfoContext, type InfoOptions, readInfo } from '../info/query-info.ts';
import { ValidationError } from '../errors.ts';

/** The parameters of `accountStatus`. */
export type AccountStatusParameters = {
  readonly user: string;
  /** The channel: 0 for perps, 1 for outcome markets. */
  readonly channel?: number | undefined;
};

/**
 * Returns whether an address has an account and may trade. `exists` is meaningful only if `checked`
 * is true.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function accountStatus(
  context: InfoContext,
  parameters: AccountStatusParameters,
  { signal }: InfoOptions = {},
): Promise<AccountStatus> {
  const request = { type: 'accountStatus', ...parameters };
  checkServiceRequest('accountStatus', request);
  const body = JSON.stringify(request);
  return readInfo(context, await context.http.post('/account-status', body, { signal }));
}

/** The parameters of `faucet`. */
export type FaucetParameters = {
  readonly user: string;
  readonly accountType?: 'perp' | 'outcome' | undefined;
  /**
   * If true, the faucet pays USDC, and ether for gas, on a local settlement chain instead of to the
   * account.
   */
  readonly onChain?: boolean | undefined;
};

/**
 * Requests test USDC from the faucet of a venue with test funds. The first payout creates the
 * account. The request is sent only once, because a retry after a lost response would be
 * rate-limited.
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

/** Rejects malformed requests to endpoints other than /info and /exchange. */
export function checkServiceRequest(name: ServiceRequestName, request: object): void {
  const fault = checkShape(SERVICE_SHAPES[name]!, request);
  if (fault !== undefined) throw ValidationError.of(fault);
}
