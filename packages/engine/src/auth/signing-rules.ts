import type { SignedCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** What has to be known of a command to judge who signed it. The table of commands says it for each. */
export type SigningRules<Asked extends SignedCommand = SignedCommand> = {
  /**
   * `agent`: the account's own key, or one of its agents'. `ownKey`: nobody but the account itself,
   * since agents trade and never move funds (R-agents).
   */
  readonly signedBy: 'agent' | 'ownKey';
  /** R-gate: why a closed channel stops it; `passes` when it takes no new risk. */
  readonly gate:
    | 'passes'
    | ((state: State, account: Account, command: Asked) => Reject | undefined);
};
