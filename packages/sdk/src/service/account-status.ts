import { parseServiceRequest, type AccountStatus } from '@oddlot/protocol';
import { ValidationError } from '../errors.ts';
import { readInfo, type InfoContext, type InfoOptions } from '../info/query-info.ts';

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
  const parsed = parseServiceRequest('accountStatus', request);
  if (!parsed.ok) throw ValidationError.of(parsed.error);
  const body = JSON.stringify(request);
  return readInfo(context, await context.http.post('/account-status', body, { signal }));
}
