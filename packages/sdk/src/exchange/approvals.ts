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

/** What `approveAgent` takes. */
export type ApproveAgentParameters = {
  /** The zero address revokes the label. */
  readonly agentAddress: string;
  /** A label of at most 64 characters; each holds one agent. Without one it is the unnamed agent. */
  readonly agentName?: string | null | undefined;
};

/**
 * Lets an agent trade for the account. Signed by the account's own key.
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

/** What `approveBuilderFee` takes. */
export type ApproveBuilderFeeParameters = {
  readonly builder: string;
  /** The most that the builder may charge, such as `'0.05%'`: from 0.000001 % to 1 %. */
  readonly maxFeeRate: string;
};

/**
 * Lets a builder charge for the orders that name it, up to a rate, or changes the rate. Signed by the
 * account's own key.
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

/** What `revokeBuilderFee` takes. */
export type RevokeBuilderFeeParameters = { readonly builder: string };

/**
 * Takes a builder's approval back; resting orders that name it pay it no longer. Signed by the
 * account's own key.
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
 * Moves all that the account earned as a builder into its perp balance. An agent may send it for its
 * owner.
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

/** What `convertToMultiSigUser` takes. */
export type ConvertToMultiSigUserParameters = {
  /** Null makes it an ordinary account again; that, too, its signers must sign. */
  readonly signers: SignerSet | null;
};

/**
 * Puts an account into the hands of several signers. Its agents are removed and its own key signs no
 * longer, so name addresses whose keys you have seen sign. Signed by the account's own key, or by its
 * signers (`multiSig`) to change the set.
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
