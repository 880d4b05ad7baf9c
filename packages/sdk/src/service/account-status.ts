import type { AccountStatus } from '@oddlot/protocol';
import { readInfo, type InfoContext, type InfoOptions } from '../info/query-info.ts';
import { checkServiceRequest } from './check-service-request.ts';

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
