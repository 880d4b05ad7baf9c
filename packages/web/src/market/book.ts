import type { L2Book } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

export type BookState = {
  readonly book: L2Book | undefined;
  /** Why the venue does not give it. */
  readonly refusal: string | undefined;
};

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
