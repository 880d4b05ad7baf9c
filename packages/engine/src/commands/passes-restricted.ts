import type { Address } from '@oddlot/units';
import type { SignedCommand } from '../messages/command.ts';
import { accountAt } from '../state/account-at.ts';
import type { State } from '../state/state.ts';
import { signedRules } from './commands.ts';

/** R-disk, R-clock: true for a command of an address that a venue still takes when it takes no new risk. */
export function passesRestricted(
  state: State,
  address: Address | undefined,
  command: SignedCommand,
): boolean {
  const { restricted } = signedRules(command);
  if (typeof restricted === 'string') return restricted === 'passes';
  const account = address === undefined ? undefined : accountAt(state, address);
  return account !== undefined && restricted(state, account, command);
}
