import type { Address } from '@oddlot/units';
import type { Authority, Command } from '../../../packages/engine/src/messages/command.ts';
import type { Scenario } from './scenario.ts';

/** A command before anybody signed it. */
export type Unsigned<T = Command> = T extends { readonly authority: Authority }
  ? Omit<T, 'authority'>
  : never;

/** For whom a command is signed, beside the signer itself. */
export type SignedFor = Pick<Authority, 'multiSig' | 'vault'>;

/** Signs a command for a vault, for a multi-sig account, or for a vault that one leads. */
export function signedFor(
  scenario: Scenario,
  signer: Address,
  whom: SignedFor,
  command: Unsigned,
): Command {
  return { ...command, authority: { ...scenario.authority(signer), ...whom } } as Command;
}

/** Sends it in a block of its own and says why it was refused. */
export function refusalFor(
  scenario: Scenario,
  signer: Address,
  whom: SignedFor,
  command: Unsigned,
): string | undefined {
  return scenario.outcome(signedFor(scenario, signer, whom, command)).reject?.reason;
}
