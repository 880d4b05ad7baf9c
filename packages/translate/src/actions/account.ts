import { parseMaxFeeRate, parseMultiSigSigners } from '@oddlot/protocol';
import { type InstrumentId, MONEY_DECIMALS } from '@oddlot/units';
import { count } from './count.ts';
import type { ActionTranslations } from './translation.ts';

export const ACCOUNT_ACTIONS = {
  updatePositionMode: {
    commands: ['updatePositionMode'],
    toCommand: ({ positionMode: mode }, authority) => ({
      type: 'updatePositionMode',
      authority,
      mode,
    }),
  },
  updateLeverage: {
    commands: ['updateLeverage'],
    toCommand: ({ asset, leverage, marginMode }, authority) => ({
      type: 'updateLeverage',
      authority,
      instrumentId: asset as InstrumentId,
      leverage,
      ...(marginMode === undefined ? {} : { marginMode }),
    }),
  },
  updateMarginMode: {
    commands: ['updateMarginMode'],
    toCommand: ({ asset, isCross }, authority) => ({
      type: 'updateMarginMode',
      authority,
      instrumentId: asset as InstrumentId,
      marginMode: isCross ? 'cross' : 'isolated',
    }),
  },
  updateIsolatedMargin: {
    commands: ['updateIsolatedMargin'],
    toCommand: ({ asset, isBuy, ntli }, authority) => ({
      type: 'updateIsolatedMargin',
      authority,
      instrumentId: asset as InstrumentId,
      isBuy,
      amountMicroUsdc: ntli,
    }),
  },
  reversePosition: {
    commands: ['reversePosition'],
    toCommand: ({ asset, isBuy }, authority) => ({
      type: 'reversePosition',
      authority,
      instrumentId: asset as InstrumentId,
      ...(isBuy === undefined ? {} : { isBuy }),
    }),
  },
  approveAgent: {
    commands: ['approveAgent'],
    toCommand: ({ agentAddress: agent, agentName }, authority) => ({
      type: 'approveAgent',
      authority,
      agent,
      label: agentName ?? '',
    }),
  },
  approveBuilderFee: {
    commands: ['approveBuilder'],
    toCommand: ({ builder, maxFeeRate }, authority) => {
      // An invalid rate is omitted here, so that the engine rejects the command at the right point
      // in its sequence of checks.
      const maxFeeE8 = parseMaxFeeRate(maxFeeRate);
      return {
        type: 'approveBuilder',
        authority,
        builder,
        ...(maxFeeE8 === undefined ? {} : { maxFeeE8 }),
        maxFeeText: maxFeeRate,
      };
    },
  },
  revokeBuilderFee: {
    commands: ['revokeBuilder'],
    toCommand: ({ builder }, authority) => ({ type: 'revokeBuilder', authority, builder }),
  },
  claimBuilderRewards: {
    commands: ['claimBuilderRewards'],
    toCommand: (_, authority) => ({ type: 'claimBuilderRewards', authority }),
  },
  convertToMultiSigUser: {
    commands: ['convertToMultiSig'],
    toCommand: ({ signers: text }, authority) => {
      // An invalid set of signers is omitted here, so that the engine rejects the command at the
      // right point in its sequence of checks.
      const parsed = parseMultiSigSigners(text);
      if (parsed === undefined) return { type: 'convertToMultiSig', authority };
      const signers =
        parsed === null ? null : { users: parsed.authorizedUsers, threshold: parsed.threshold };
      return { type: 'convertToMultiSig', authority, signers };
    },
  },
  tokenSend: {
    commands: ['sendToken'],
    toCommand: (action, authority) => ({
      type: 'sendToken',
      authority,
      destination: action.destination,
      token: action.token,
      ...amountOf(action.amount),
      from: action.fromAccountType,
      to: action.toAccountType,
    }),
  },
  withdraw3: {
    commands: ['withdraw'],
    toCommand: ({ destination, amount }, authority) => ({
      type: 'withdraw',
      authority,
      destination,
      ...amountOf(amount),
    }),
  },
} as const satisfies ActionTranslations;

/**
 * Converts a decimal to micro-USDC, rounded down and clamped to the safe integers. The result is
 * flagged if the value has too many decimals.
 */
export function amountOf(text: string): {
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
} {
  const { value, exact } = count(text, MONEY_DECIMALS);
  return { amountMicroUsdc: value, ...(exact ? {} : { amountInexact: true }) };
}
