import type { AssetContext, OutcomeBbo } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

type ContextState = {
  readonly ctx: AssetContext['ctx'] | undefined;
  readonly height?: number | undefined;
};

/** Mark, oracle, funding and volume of one instrument, the id as text. */
export const contexts = createLive<string, ContextState>({
  key: (coin) => coin,
  initial: () => ({ ctx: undefined }),
  open: (coin, store) => {
    const stream = reader.streams.activeAssetCtx({ coin }, (event) => {
      if (event.type === 'data') store.setState({ ctx: event.data.ctx, height: event.height });
    });
    return () => stream.close();
  },
});

type BbosState = { readonly byId: ReadonlyMap<number, OutcomeBbo['bbo']> };

/** Best YES prices of up to 50 outcome markets. */
export const outcomePrices = createLive<readonly number[], BbosState>({
  key: (ids) => ids.toSorted((a, b) => a - b).join(' '),
  initial: () => ({ byId: new Map() }),
  open: (instrumentIds, store) => {
    const stream = reader.streams.outcomeBbos({ instrumentIds }, (event) => {
      if (event.type === 'reset') return;
      const byId = new Map(event.isSnapshot ? [] : store.getState().byId);
      for (const { bbo, instrumentId } of event.data.bbos) byId.set(instrumentId, bbo);
      store.setState({ byId });
    });
    return () => stream.close();
  },
});
