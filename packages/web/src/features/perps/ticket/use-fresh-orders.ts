import type { OrderParameters } from '@oddlot/sdk';
import { reader, venueNow } from '../../../market/venue.ts';
import { useSession } from '../../../session/use-session.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { usePositions } from '../use-account.ts';
import type { Draft } from './draft.ts';
import { freshOrders } from './share-of-most.ts';

/** The orders of a ticket at the moment of sending; those that it shows where the size was typed. */
export function useFreshOrders(
  draft: Draft,
  shown: OrderParameters | undefined,
  isHedge: boolean,
): (() => Promise<OrderParameters | undefined>) | undefined {
  const { coin, grid, perp } = useTradedPerp();
  const user = useSession()?.address;
  const positions = usePositions();
  if (shown === undefined || user === undefined) return undefined;
  return async () => {
    if (draft.share === undefined) return shown;
    const around = { asset: perp.index, grid, hasMark: true, nowMs: venueNow(), isHedge };
    const drafted = await freshOrders(draft, around, {
      coin,
      positions,
      ask: (px) => reader.info.activeAssetData({ user, coin, px }),
      askBook: () => reader.info.l2Book({ coin }),
    });
    return drafted.missing === undefined ? drafted.parameters : undefined;
  };
}
