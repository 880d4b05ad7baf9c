import { createStore } from 'zustand/vanilla';

/** From a level of the book to the ticket: send what stands there, at that price. Each wish is heard once. */
type SendWishes = { readonly count: number; readonly take: () => boolean };

let heard = 0;

export const sendWishes = createStore<SendWishes>((_, get) => ({
  count: 0,
  take: () => {
    const isNew = get().count > heard;
    heard = get().count;
    return isNew;
  },
}));

export function wishToSend(): void {
  sendWishes.setState(({ count }) => ({ count: count + 1 }));
}
