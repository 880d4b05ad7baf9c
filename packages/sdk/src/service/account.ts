import {
  type AccountStatus,
  checkShape,
  type FaucetGrant,
  SERVICE_SHAPES,
  type ServiceRequestName,
} from '@oddlot/protocol';
import { type InfoContext, type InfoOptions, readInfo } from '../info/query-info.ts';
import { ValidationError } from '../errors.ts';

/** What `accountStatus` takes. */
export type AccountStatusParameters = {
  readonly user: string;
  /** 0 is the main exchange, 1 the outcome one. */
  readonly channel?: number | undefined;
};

/**
 * Whether an address has an account and may trade. Read `checked` before `exists`.
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

/** Finds what an endpoint beside /info and /exchange would refuse for its form. */
export function checkServiceRequest(name: ServiceRequestName, request: object): void {
  const fault = checkShape(SERVICE_SHAPES[name]!, request);
  if (fault !== undefined) throw ValidationError.of(fault);
}
