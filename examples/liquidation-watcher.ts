import { createReader, type ClearinghouseState, type Reader } from '@oddlot/sdk';

/**
 * Says when an account comes near its liquidation, and when it is out of danger again. It reads and signs nothing: everybody may
 * watch every account.
 */

export type Alarm = {
  readonly user: string;
  readonly isNear: boolean;
  /** Of the account as a whole; liquidation starts at 1. */
  readonly ratio: number;
};

/** How far cross margin is from its end; Infinity without a position. */
export function ratioOf({ crossMarginRatio, assetPositions }: ClearinghouseState): number {
  const hasCross = assetPositions.some(
    ({ position }) => position.leverage.type.toLowerCase() === 'cross',
  );
  return hasCross ? Number(crossMarginRatio) : Infinity;
}

/** Tells of every change between near and far. Ends with the function that it gives. */
export function watchLiquidations(
  { streams }: Pick<Reader, 'streams'>,
  users: readonly string[],
  { below, tell }: { readonly below: number; readonly tell: (alarm: Alarm) => void },
): () => void {
  const watched = users.map((user) => {
    let wasNear = false;
    return streams.clearinghouseState({ user }, (event) => {
      // After a reset the whole state follows: what is known till then still holds.
      if (event.type === 'reset') return;
      const ratio = ratioOf(event.data.clearinghouseState);
      const isNear = ratio < below;
      if (isNear !== wasNear) tell({ user, isNear, ratio });
      wasNear = isNear;
    });
  });
  return () => {
    for (const stream of watched) stream.close();
  };
}

if (import.meta.main) {
  const { ODDLOT_URL: url = 'http://127.0.0.1:8690', WATCHED = '' } = process.env;
  const users = WATCHED.split(',').filter((user) => user !== '');
  if (users.length === 0) throw new Error('say whom to watch: WATCHED=0x…,0x…');
  watchLiquidations(createReader({ url }), users, {
    below: 1.5,
    tell: ({ user, isNear, ratio }) =>
      console.log(user, isNear ? `is at ${ratio}` : 'is safe again'),
  });
}
