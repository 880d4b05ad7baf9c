import type { Account } from '../account.ts';
import type { CancelCause } from '../event.ts';
import type { Execution } from '../execution.ts';
import { cancelTrigger } from './cancel-trigger.ts';
import type { TriggerOrder } from './trigger-book.ts';

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
