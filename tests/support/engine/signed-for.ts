import type { Address } from '@oddlot/units';
import type { Authority, Command } from '../../../packages/engine/src/messages/command.ts';
import type { Scenario } from './scenario.ts';

/** A command without its signer. */
export type Unsigned<T = Command> = T extends { readonly authority: Authority }
  ? Omit<T, 'authority'>
  : never;

/** The account that a command is signed for, if it is not the signer's. */
export type SignedFor = Pick<Authority, 'multiSig' | 'vault'>;

/** Signs a command for a vault, for a multi-sig account, or for a vault led by one. */
export function signedFor(
  scenario: Scenario,
  signer: Address,
  principal: SignedFor,
  command: Unsigned,
): Command {
  return { ...command, authority: { ...scenario.authority(signer), ...principal } } as Command;
}

/** Sends it in its own block and returns the reason of the reject. */
export function refusalFor(
  scenario: Scenario,
  signer: Address,
  principal: SignedFor,
  command: Unsigned,
): string | undefined {
  return scenario.outcome(signedFor(scenario, signer, principal, command)).reject?.reason;
}
