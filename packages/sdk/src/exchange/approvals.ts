import {
  approveAgentShape,
  approveBuilderFeeShape,
  claimBuilderRewardsShape,
  convertToMultiSigUserShape,
  invalidMaxFeeRate,
  MAX_FEE_RATE,
  parseMaxFeeRate,
  revokeBuilderFeeShape,
} from '@oddlot/protocol';
import {
  type ActionOptions,
  type DirectOptions,
  type ExchangeContext,
  sendAction,
  sendDirect,
} from './send-action.ts';
import type { ReplyOf } from './reply.ts';
import { ValidationError } from '../errors.ts';
import { conversion, type SignerSet } from './signer-set.ts';

/** The parameters of `approveAgent`. */
export type ApproveAgentParameters = {
  /** The address of the agent. The zero address revokes the agent with this label. */
  readonly agentAddress: string;
  /** The agent's label, at most 64 characters. By default, this is the unnamed agent. */
  readonly agentName?: string | null | undefined;
};

/**
 * Permits an agent to trade for the account. The account's own key must sign.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function approveAgent<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { agentAddress, agentName }: ApproveAgentParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const type = 'approveAgent';
  const action = { type, agentAddress: agentAddress.toLowerCase(), agentName } as const;
  return sendDirect(context, approveAgentShape, action, options);
}

/** The parameters of `approveBuilderFee`. */
export type ApproveBuilderFeeParameters = {
  readonly builder: string;
  /** The maximum rate the builder may charge, such as `'0.05%'`, from 0.000001% to 1%. */
  readonly maxFeeRate: string;
};

/**
 * Permits a builder to charge a fee of up to the given rate on orders sent through it, or changes
 * that rate. The account's own key must sign.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export async function approveBuilderFee<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { builder, maxFeeRate }: ApproveBuilderFeeParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  if (parseMaxFeeRate(maxFeeRate) === undefined) {
    const details = { field: 'maxFeeRate', got: maxFeeRate, allowed: MAX_FEE_RATE };
    throw new ValidationError(`${invalidMaxFeeRate()}: ${maxFeeRate}`, {
      details,
    });
  }
  const type = 'approveBuilderFee';
  const action = { type, builder: builder.toLowerCase(), maxFeeRate } as const;
  return sendDirect(context, approveBuilderFeeShape, action, options);
}

/** The parameters of `revokeBuilderFee`. */
export type RevokeBuilderFeeParameters = { readonly builder: string };

/**
 * Revokes a builder's approval. Resting orders no longer pay its fee. The account's own key must
 * sign.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function revokeBuilderFee<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { builder }: RevokeBuilderFeeParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action = { type: 'revokeBuilderFee', builder: builder.toLowerCase() } as const;
  return sendDirect(context, revokeBuilderFeeShape, action, options);
}

/**
 * Moves all builder rewards of the account to its perp balance. An agent may also send this action
 * for its owner.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function claimBuilderRewards<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  return sendAction(
    context,
    claimBuilderRewardsShape,
    () => ({ type: 'claimBuilderRewards' }),
    options,
  );
}

/** The parameters of `convertToMultiSigUser`. */
export type ConvertToMultiSigUserParameters = {
  /**
   * The signers of the account. Null converts it back to an ordinary account; the current signers
   * must sign that change.
   */
  readonly signers: SignerSet | null;
};

/**
 * Converts the account to a multi-sig account. Its agents are removed and its own key can no longer
 * sign, so use only addresses whose keys you have verified. The account's own key must sign; later
 * changes to the set must be signed by its signers (`multiSig`).
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export async function convertToMultiSigUser<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { signers }: ConvertToMultiSigUserParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  return sendDirect(context, convertToMultiSigUserShape, conversion(signers), options);
}
