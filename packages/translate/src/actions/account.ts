import type {
  ApproveAgentCommand,
  ApproveBuilderCommand,
  Authority,
  ClaimBuilderRewardsCommand,
  ConvertToMultiSigCommand,
  ReversePositionCommand,
  RevokeBuilderCommand,
  SendTokenCommand,
  UpdateIsolatedMarginCommand,
  UpdateLeverageCommand,
  UpdateMarginModeCommand,
  UpdatePositionModeCommand,
  WithdrawCommand,
} from '@oddlot/engine';
import { type ActionOf, parseMaxFeeRate, parseMultiSigSigners } from '@oddlot/protocol';
import { type InstrumentId, MONEY_DECIMALS } from '@oddlot/units';
import { count } from './count.ts';

/** How an account trades: its modes, leverage and margin. */

export function updatePositionMode(
  { positionMode: mode }: ActionOf<'updatePositionMode'>,
  authority: Authority,
): UpdatePositionModeCommand {
  return { type: 'updatePositionMode', authority, mode };
}

export function updateLeverage(
  { asset, leverage, marginMode }: ActionOf<'updateLeverage'>,
  authority: Authority,
): UpdateLeverageCommand {
  return {
    type: 'updateLeverage',
    authority,
    instrumentId: asset as InstrumentId,
    leverage,
    ...(marginMode === undefined ? {} : { marginMode }),
  };
}

export function updateMarginMode(
  { asset, isCross }: ActionOf<'updateMarginMode'>,
  authority: Authority,
): UpdateMarginModeCommand {
  return {
    type: 'updateMarginMode',
    authority,
    instrumentId: asset as InstrumentId,
    marginMode: isCross ? 'cross' : 'isolated',
  };
}

export function updateIsolatedMargin(
  { asset, isBuy, ntli }: ActionOf<'updateIsolatedMargin'>,
  authority: Authority,
): UpdateIsolatedMarginCommand {
  return {
    type: 'updateIsolatedMargin',
    authority,
    instrumentId: asset as InstrumentId,
    isBuy,
    amountMicroUsdc: ntli,
  };
}

export function reversePosition(
  { asset, isBuy }: ActionOf<'reversePosition'>,
  authority: Authority,
): ReversePositionCommand {
  return {
    type: 'reversePosition',
    authority,
    instrumentId: asset as InstrumentId,
    ...(isBuy === undefined ? {} : { isBuy }),
  };
}

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

/** What moves an account's money. */

export function sendToken(action: ActionOf<'tokenSend'>, authority: Authority): SendTokenCommand {
  const { destination, token, fromAccountType: from, toAccountType: to } = action;
  return { type: 'sendToken', authority, destination, token, ...amountOf(action.amount), from, to };
}

export function withdraw(
  { destination, amount }: ActionOf<'withdraw3'>,
  authority: Authority,
): WithdrawCommand {
  return { type: 'withdraw', authority, destination, ...amountOf(amount) };
}

/** Micro-USDC, rounded down and flagged when the text is finer; too much to count saturates. */
export function amountOf(text: string): {
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
} {
  const { value, exact } = count(text, MONEY_DECIMALS);
  return { amountMicroUsdc: value, ...(exact ? {} : { amountInexact: true }) };
}
