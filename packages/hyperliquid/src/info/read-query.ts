import { Address, INTERVALS, isCloid, Ms, U64 } from '@oddlot/protocol';
import * as z from 'zod';
import { RefusedError } from '../refused-error.ts';

export const user = { user: Address };
export const coin = { coin: z.string().min(1).max(64) };

/**
 * The field that names the deployer of a perp on Hyperliquid. It is empty for the venue's own
 * perps.
 */
export const dex = {
  dex: z
    .string()
    .nullish()
    .refine((name) => name === undefined || name === null || name === '', {
      error: 'this venue has no builder-deployed perps',
    }),
};

export const span = { startTime: Ms, endTime: Ms.nullish() };
/** A period that starts at the first row unless a start is given. */
export const spanFromStart = { ...span, startTime: Ms.nullish().transform((time) => time ?? 0) };
export const interval = { interval: z.enum(INTERVALS) };
/** An order id or a client order id. */
export const oid = { oid: z.union([U64, z.string().refine(isCloid)]) };
export const builder = { builder: Address };

const SIG_FIGS = [2, 3, 4, 5] as const;
const MANTISSAS = [1, 2, 5] as const;

export const aggregation = {
  nSigFigs: z.literal(SIG_FIGS).nullish(),
  mantissa: z.literal(MANTISSAS).nullish(),
};

/** Parses the fields of a request, or throws a refusal that gives the first fault. */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const why = issue?.code === 'custom' ? issue.message : 'it has a wrong type or form';
  throw new RefusedError(`Invalid field '${field}': ${why}.`);
}
