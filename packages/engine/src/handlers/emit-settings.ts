import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';

/** Tells the account's readers that how it trades has changed. */
export function emitSettings(execution: Execution, account: Account): void {
  const { commandIndex, events, state } = execution;
  state.digest.word(account.index);
  state.digest.text(account.positionMode);
  for (const [id, settings] of account.settings) {
    state.digest.number(id);
    state.digest.word(settings.isIsolated ? 1 : 0);
    state.digest.word(settings.crossLeverage);
    state.digest.word(settings.isolatedLeverage[0]);
    state.digest.word(settings.isolatedLeverage[1]);
  }
  events.push({ type: 'settingsChanged', commandIndex, account: account.address });
}
