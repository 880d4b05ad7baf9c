import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { I64, Ms, U64, type IssueParams } from '../primitives.ts';

/** The fields that paged queries share. Bad values here are business refusals, not type errors. */

const refuse = (refusal: NonNullable<IssueParams['refusal']>): { params: IssueParams } => ({
  params: { refusal },
});

/** A `limit` with its default; a larger one is clamped, one below 1 refused. */
export function limitOf({ default: fallback, max }: { default: number; max: number }) {
  return I64.refine((value) => value >= 1, refuse('invalidLimit'))
    .transform((value) => Math.min(value, max))
    .default(fallback);
}

/** The first row of a page. */
export const Offset = I64.refine(
  (value) => value >= 0 && value <= LIMITS.offsetMax,
  refuse('invalidOffset'),
).default(0);

/** The block that an answer must know of; it is waited for, a moment. */
export const MIN_HEIGHT = { minHeight: U64.optional() };

/** Where a page of the history begins: the `nextCursor` of the one before; null is the first. */
export const PAGE_CURSOR = { cursor: z.string().nullable().optional(), ...MIN_HEIGHT };

/** A cursor says where to begin, so nothing else may. */
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

/** An inclusive span of time. */
export const TIME_SPAN = { startTime: Ms.optional(), endTime: Ms.optional() };

/** The first value that is set, for fields that have an alias. */
export function firstSet<Value>(...values: readonly (Value | undefined)[]): Value | undefined {
  return values.find((value) => value !== undefined);
}

/** A copy without fields that are undefined, so that absent stays absent. */
export function compact<Fields extends Record<string, unknown>>(fields: Fields): Fields {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Fields;
}

/** The channel of a query: 0 is the main exchange, 1 the outcome one. */
export const Channel = z.int();
