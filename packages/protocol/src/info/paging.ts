import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { I64, Ms, U64, type IssueParams } from '../primitives.ts';

/** Invalid values in these fields cause business refusals, not type errors. */

const refuse = (refusal: NonNullable<IssueParams['refusal']>): { params: IssueParams } => ({
  params: { refusal },
});

/**
 * Returns a `limit` with a default. A larger value is lowered to the maximum, and a value below 1
 * is rejected.
 */
export function limitOf({ default: fallback, max }: { default: number; max: number }) {
  return I64.refine((value) => value >= 1, refuse('invalidLimit'))
    .transform((value) => Math.min(value, max))
    .default(fallback);
}

/** The index of the first row of a page. */
export const Offset = I64.refine(
  (value) => value >= 0 && value <= LIMITS.offsetMax,
  refuse('invalidOffset'),
).default(0);

/**
 * The block that the response must include. The venue waits briefly for that block to be processed.
 */
export const MIN_HEIGHT = { minHeight: U64.optional() };

/**
 * The start of a page of history: the `nextCursor` of the previous page, or null for the first
 * page.
 */
export const PAGE_CURSOR = { cursor: z.string().nullable().optional(), ...MIN_HEIGHT };

/**
 * Rejects an offset or page number given along with a cursor, because the cursor already determines
 * the start.
 */
export function refuseOffsetWithCursor(
  query: { cursor?: string | null | undefined; offset?: number; page?: number },
  context: z.RefinementCtx,
): void {
  if (typeof query.cursor !== 'string') return;
  for (const field of ['offset', 'page'] as const) {
    if ((query[field] ?? 0) === 0) continue;
    context.addIssue({ code: 'custom', path: [field], ...refuse('invalidOffset') });
  }
}

/** A period with inclusive bounds, both of which are optional. */
export const TIME_SPAN = { startTime: Ms.optional(), endTime: Ms.optional() };

/** Returns the first value that is set, for fields that have an alias. */
export function firstSet<Value>(...values: readonly (Value | undefined)[]): Value | undefined {
  return values.find((value) => value !== undefined);
}

/** Returns a copy without undefined fields, so that an absent field does not appear as a key. */
export function compact<Fields extends Record<string, unknown>>(fields: Fields): Fields {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Fields;
}

/** The channel of a query: 0 for perps, 1 for outcome markets. */
export const Channel = z.int();
