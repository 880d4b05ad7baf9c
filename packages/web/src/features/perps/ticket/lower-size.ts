import type { ApiError } from '@oddlot/sdk';
import { compare, isDecimal, onStep, sign } from '../../../lib/decimal.ts';
import type { Grid } from '../grid.ts';
import { sizeInBase, type Drafted } from './orders-of-draft.ts';
import type { Draft } from './draft.ts';

/**
 * The size that would be taken where the one that is typed is too large: for one order of the market, or for the margin.
 * Undefined where another size does not help.
 */
export function lowerSize(
  refusal: ApiError | undefined,
  {
    draft,
    drafted,
    grid,
    most,
  }: {
    readonly draft: Draft;
    readonly drafted: Drafted;
    readonly grid: Grid;
    /** The largest size that the venue allows at the price of the ticket. */
    readonly most: string | undefined;
  },
): string | undefined {
  if (refusal === undefined || drafted.missing !== undefined) return undefined;
  const size = sizeInBase(draft, drafted.price, grid);
  const isForMargin = refusal.details?.required !== undefined && /margin/i.test(refusal.message);
  const largest = largestOrder(refusal);
  if (size === undefined || (largest === undefined && !isForMargin)) return undefined;
  const [limit] = [largest, most].filter((each) => each !== undefined).toSorted(compare);
  if (limit === undefined) return undefined;
  const lower = onStep(limit, grid.lot, 'down');
  return sign(lower) > 0 && compare(lower, size) < 0 ? lower : undefined;
}

/** The most that one order of the market may have, if that is what was refused. */
export function largestOrder({ details }: ApiError): string | undefined {
  const { allowed, field } = details ?? {};
  if (field?.endsWith('.s') !== true || allowed === undefined || !('max' in allowed))
    return undefined;
  const most = String(allowed.max);
  return isDecimal(most) ? most : undefined;
}
