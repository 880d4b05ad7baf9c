import type { ActiveAssetData, ApiError } from '@oddlot/sdk';
import { compare, divide, isDecimal, multiply, onStep, sign } from '../../../lib/decimal.ts';
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
    asset,
    draft,
    drafted,
    grid,
    most,
  }: {
    readonly asset: ActiveAssetData | undefined;
    readonly draft: Draft;
    readonly drafted: Drafted;
    readonly grid: Grid;
    /** What the margin is enough for at the mark. */
    readonly most: string | undefined;
  },
): string | undefined {
  if (refusal === undefined || drafted.missing !== undefined) return undefined;
  const size = sizeInBase(draft, drafted.price, grid);
  const limit = largestOrder(refusal) ?? byMargin(refusal, most, asset?.markPx, drafted.price);
  if (size === undefined || limit === undefined) return undefined;
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

/** Above the mark an order takes more margin than at it. */
function byMargin(
  { details, message }: ApiError,
  most: string | undefined,
  markPx: string | undefined,
  price: string,
): string | undefined {
  if (details?.required === undefined || !/margin/i.test(message)) return undefined;
  if (most === undefined || !isDecimal(markPx)) return undefined;
  if (compare(price, markPx) <= 0) return most;
  return divide(multiply(most, markPx), price);
}
