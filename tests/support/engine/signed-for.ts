import type { Address } from '@oddlot/units';
import type { Authority, Command } from '../../../packages/engine/src/messages/command.ts';
import type { Scenario } from './scenario.ts';

export type Unsigned<T = Command> = T extends { readonly authority: Authority }
  ? Omit<T, 'authority'>
  : never;

/** The account that a command is signed for. Absent if the signer acts for itself. */
export type SignedFor = Pick<Authority, 'multiSig' | 'vault'>;

/**
 * Signs a command for a vault, for a multi-sig account, or for a vault led by a multi-sig account.
 */
export function signedFor(
  scenario: Scenario,
  signer: Address,
  principal: SignedFor,
  command: Unsigned,
): Command {
  return { ...command, authority: { ...scenario.authority(signer), ...principal } } as Command;
}

/** Executes the command in its own block and returns the reason it was rejected. */
export function refusalFor(
  scenario: Scenario,
  signer: Address,
  principal: SignedFor,
  command: Unsigned,
): string | undefined {
  return scenario.outcome(signedFor(scenario, signer, principal, command)).reject?.reason;
}
