import { reader } from '../../../market/venue.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { useAnswer } from '../use-account.ts';
import type { Draft } from './draft.ts';
import { askedPrices, sizingOf, type Sizing } from './share-of-most.ts';

/** How the venue sizes a ticket; undefined for a visitor. */
export function useSizing(draft: Draft): Sizing | undefined {
  const { coin, grid } = useTradedPerp();
  const key = [draft.type, draft.side, ...askedPrices(draft, grid)];
  return useAnswer(coin, key, (user, signal) =>
    sizingOf(draft, grid, {
      ask: (px) => reader.info.activeAssetData({ user, coin, px }, { signal }),
      askBook: () => reader.info.l2Book({ coin }, { signal }),
    }),
  );
}
