import { useMemo } from 'react';
import type { ActiveAssetData } from '@oddlot/sdk';
import { useTradedPerp } from '../traded-perp.ts';
import type { Draft } from './draft.ts';
import { withShare } from './share-of-most.ts';

/** The draft with the size that its percentage comes to now; the same object as long as nothing changes. */
export function useSized(
  draft: Draft,
  most: string | undefined,
  asset: ActiveAssetData | undefined,
): Draft {
  const { lot } = useTradedPerp().grid;
  return useMemo(() => withShare(draft, most, { asset, lot }), [draft, most, asset, lot]);
}
