import type { Ticker } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

type TickersState = {
  readonly byId: ReadonlyMap<number, Ticker>;
  readonly isLoaded: boolean;
};

type TickersKey = {
  readonly accountType: 'perp' | 'outcome';
  /** Up to 50; all that trade when it is absent. */
  readonly instrumentIds?: readonly number[] | undefined;
};

/** Instruments of a kind at a glance. */
export const tickers = createLive<TickersKey, TickersState>({
  key: ({ accountType, instrumentIds }) => `${accountType} ${instrumentIds?.join(' ') ?? ''}`,
  initial: () => ({ byId: new Map(), isLoaded: false }),
  open: (parameters, store) => {
    const stream = reader.streams.tickers(parameters, (event) => {
      if (event.type === 'reset') return;
      const byId = new Map(event.isSnapshot ? [] : store.getState().byId);
      for (const ticker of event.data.tickers) {
        if (ticker.gone) byId.delete(ticker.instrumentId);
        else byId.set(ticker.instrumentId, ticker);
      }
      store.setState({ byId, isLoaded: true });
    });
    return () => stream.close();
  },
});
