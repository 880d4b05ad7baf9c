import type {
  ApproveAgentCommand,
  ApproveBuilderCommand,
  Authority,
  ClaimBuilderRewardsCommand,
  ConvertToMultiSigCommand,
  RevokeBuilderCommand,
} from '@oddlot/engine';
import { parseMaxFeeRate, parseMultiSigSigners, type ActionOf } from '@oddlot/protocol';

/** Who may act for an account, and who may charge it. */

export function approveAgent(
  { agentAddress: agent, agentName }: ActionOf<'approveAgent'>,
  authority: Authority,
): ApproveAgentCommand {
  return { type: 'approveAgent', authority, agent, label: agentName ?? '' };
}

/** A text that is no rate stays without one; the engine refuses it in its turn. */
export function approveBuilder(
  { builder, maxFeeRate }: ActionOf<'approveBuilderFee'>,
  authority: Authority,
): ApproveBuilderCommand {
  const maxFeeE8 = parseMaxFeeRate(maxFeeRate);
  return {
    type: 'approveBuilder',
    authority,
    builder,
    ...(maxFeeE8 === undefined ? {} : { maxFeeE8 }),
    maxFeeText: maxFeeRate,
  };
}

export function revokeBuilder(
  { builder }: ActionOf<'revokeBuilderFee'>,
  authority: Authority,
): RevokeBuilderCommand {
  return { type: 'revokeBuilder', authority, builder };
}

export function claimBuilderRewards(
  _: ActionOf<'claimBuilderRewards'>,
  authority: Authority,
): ClaimBuilderRewardsCommand {
  return { type: 'claimBuilderRewards', authority };
}

/** A text that is no set of signers stays without one; the engine refuses it in its turn. */
export function convertToMultiSig(
  { signers: text }: ActionOf<'convertToMultiSigUser'>,
  authority: Authority,
): ConvertToMultiSigCommand {
  const parsed = parseMultiSigSigners(text);
  if (parsed === undefined) return { type: 'convertToMultiSig', authority };
  const signers =
    parsed === null ? null : { users: parsed.authorizedUsers, threshold: parsed.threshold };
  return { type: 'convertToMultiSig', authority, signers };
}
