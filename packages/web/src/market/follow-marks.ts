import { contexts } from './contexts.ts';
import { inNextFrame } from './frame.ts';

type FollowedMarks = {
  /** Follows these instruments and no others. */
  follow(coins: readonly string[]): void;
  /** The marks by instrument, but for those that are older than a block. */
  since(height: number | undefined): ReadonlyMap<string, string>;
};

/** The marks of a few instruments, with a word when they have changed, at most once per frame. */
export function followMarks(onChange: () => void): FollowedMarks {
  const held = new Map<
    string,
    ReturnType<typeof contexts.acquire> & { readonly leave: () => void }
  >();
  const tell = (): void => {
    if (held.size > 0) onChange();
  };
  return {
    follow(coins) {
      for (const coin of coins) {
        if (held.has(coin)) continue;
        const context = contexts.acquire(coin);
        const leave = context.store.subscribe(() => inNextFrame(tell));
        held.set(coin, { ...context, leave });
      }
      for (const [coin, { leave, release }] of held) {
        if (coins.includes(coin)) continue;
        held.delete(coin);
        leave();
        release();
      }
    },
    since(least) {
      const marks = new Map<string, string>();
      for (const [coin, { store }] of held) {
        const { ctx, height } = store.getState();
        const isOlder = least !== undefined && height !== undefined && height < least;
        if (ctx !== undefined && !isOlder) marks.set(coin, ctx.markPx);
      }
      return marks;
    },
  };
}
