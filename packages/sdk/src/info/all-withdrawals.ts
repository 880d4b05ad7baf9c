import { CLIENT_PAGE_LIMITS, type Withdrawal } from '@oddlot/protocol';
import { queryInfo, type InfoContext, type InfoOptions } from './query-info.ts';
import type { WithdrawalsParameters } from './query-parameters.ts';

/** What `allWithdrawals` takes; `limit` is the size of a page. */
export type AllWithdrawalsParameters = WithdrawalsParameters;

/**
 * All withdrawals of an account, newest first. The next page is asked for when it is needed.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* allWithdrawals(
  context: InfoContext,
  { before, ...parameters }: AllWithdrawalsParameters,
  options?: InfoOptions,
): AsyncGenerator<Withdrawal, void> {
  const { limit = CLIENT_PAGE_LIMITS.withdrawals.max } = parameters;
  for (let below = before; ;) {
    const request = { type: 'withdrawals', ...parameters, limit, before: below } as const;
    const page = await queryInfo(context, request, options);
    yield* page;
    below = page.at(-1)?.id;
    if (below === undefined) return;
  }
}
