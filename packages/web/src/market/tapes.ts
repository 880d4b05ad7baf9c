import type { Trade } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

/** As many trades as a tape shows. */
const TRADES_MAX = 200;

type TapeState = {
  /** Newest first. */
  readonly trades: readonly Trade[];
  readonly isLoaded: boolean;
};

/** The last trades of an instrument, the id as text. */
export const tapes = createLive<string, TapeState>({
  key: (coin) => coin,
  initial: () => ({ trades: [], isLoaded: false }),
  open: (coin, store) => {
    const stream = reader.streams.recentTrades({ coin, limit: 100 }, (event) => {
      if (event.type === 'reset') return;
      const { trades } = event.data;
      if (event.isSnapshot) {
        store.setState({ trades, isLoaded: true });
        return;
      }
      const known = store.getState().trades;
      store.setState({ trades: [...trades.toReversed(), ...known].slice(0, TRADES_MAX) });
    });
    return () => stream.close();
  },
});
