import type { L2Book, Trade } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

export type BookState = { readonly book: L2Book | undefined; readonly refusal: string | undefined };

/** The book of an instrument: the id as text, and one of its `bookTicks` where levels are to be grouped. */
export const books = createLive<
  { readonly coin: string; readonly tick?: string | undefined },
  BookState
>({
  key: ({ coin, tick }) => `${coin} ${tick ?? ''}`,
  initial: () => ({ book: undefined, refusal: undefined }),
  open: ({ coin, tick }, store) => {
    const stream = reader.streams.l2Book(
      tick === undefined ? { coin } : { coin, tick },
      (event) => {
        // After a reset the next event has all of it again; until then the old one is better than none.
        if (event.type === 'data') store.setState({ book: event.data, refusal: undefined });
      },
      { onError: ({ message }) => store.setState({ refusal: message }) },
    );
    return () => stream.close();
  },
});

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
