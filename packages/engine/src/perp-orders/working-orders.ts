import { type Account, type Holding, holdingKey } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Orders that an account has at work, by kind. */
type WorkingOrders = {
  readonly resting: number;
  /** Take-profit and stop-loss orders that hang on a parent or a position. */
  readonly tpsl: number;
  /** Other orders that wait for the mark. */
  readonly triggers: number;
};

/** Counts the working orders of an account, in one instrument or in all. */
export function workingOrders(
  state: State,
  account: Account,
  instrumentId?: number,
): WorkingOrders {
  let resting = 0;
  for (const holding of holdingsIn(account, instrumentId)) resting += holding.orders.count;
  let tpsl = 0;
  let triggers = 0;
  for (const trigger of state.triggers.ofAccount(account.index)) {
    if (instrumentId !== undefined && trigger.request.instrumentId !== instrumentId) continue;
    if (trigger.groupId === undefined) triggers += 1;
    else tpsl += 1;
  }
  return { resting, tpsl, triggers };
}

/** True with an open position, in one instrument or in any. */
export function hasPosition(account: Account, instrumentId?: number): boolean {
  return holdingsIn(account, instrumentId).some((holding) => holding.size !== 0);
}

function holdingsIn(account: Account, instrumentId: number | undefined): Holding[] {
  if (instrumentId === undefined) return [...account.holdings.values()];
  return ([0, 1] as const).flatMap((leg) => {
    const holding = account.holdings.get(holdingKey(instrumentId, leg));
    return holding === undefined ? [] : [holding];
  });
}
