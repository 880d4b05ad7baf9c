import type { CancelCause } from '../messages/event.ts';
import { cancelTrigger } from '../perp-orders/end-order.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { TriggerOrder } from '../state/trigger-order.ts';

/** Ends the waiting orders of an account that a test picks; returns how many went. */
export function cancelTriggers(
  execution: Execution,
  account: Account,
  cause: CancelCause,
  picks: (trigger: TriggerOrder) => boolean,
): number {
  const picked = [...execution.state.triggers.ofAccount(account.index)].filter(picks);
  for (const trigger of picked) cancelTrigger(execution, trigger, cause);
  return picked.length;
}
