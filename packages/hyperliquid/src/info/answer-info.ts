import type { Coins } from '../coins.ts';
import { RefusedError } from '../refused-error.ts';
import type { Requester } from '../venue-access.ts';
import { INFO_CALLS, type InfoContext } from './info-calls.ts';
import { readFields } from './read-query.ts';
import { REFUSED_QUERIES } from './refused-queries.ts';
import type * as z from 'zod';

type AnyCall = {
  readonly schema: z.ZodType;
  readonly answer: (context: InfoContext, query: unknown) => unknown;
};

const CALLS: Readonly<Record<string, AnyCall>> = INFO_CALLS;

/**
 * Answers a query without the venue's envelope. Throws a `RefusedError` if the query is refused.
 */
export async function answerInfo(
  requester: Requester,
  coins: () => Coins,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { type } = body;
  if (typeof type !== 'string') throw new RefusedError("Missing field 'type' of the query.");
  if (Object.hasOwn(REFUSED_QUERIES, type)) throw new RefusedError(REFUSED_QUERIES[type] ?? '');
  const call = Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
  if (call === undefined) {
    const names = Object.keys(CALLS).join(', ');
    throw new RefusedError(`Unknown query '${type.slice(0, 64)}'. The port answers ${names}.`);
  }
  const query = readFields(call.schema, body);
  return await call.answer({ ...requester, coins: coins() }, query);
}
