import { type Details, MAX_FEE_RATE, type MessageKey, refusal } from '@oddlot/protocol';
import {
  addressField,
  gotDetails,
  instrumentAt,
  nameOf,
  type RejectContext,
  sizeAt,
  type Translations,
} from './context.ts';
import type { GateRefusal, Reject, ReservedBy } from '@oddlot/engine';
import { formatMoney, MONEY_DECIMALS } from '@oddlot/units';
import { validText } from './orders.ts';

/**
 * If a request was signed for another network or hashed differently, an unknown address is
 * recovered from its signature. Only the explainSignature query can distinguish this from an
 * unknown client.
 */
const SIGNER_HINT =
  'The signature is that of `got`. If that is not your key, the request was signed for another ' +
  'network or hashed differently: ask /info explainSignature';

export const WHO = {
  agentUnknown: ({ signer }) =>
    refusal('agentNotAuthorized', [signer], { got: signer, why: SIGNER_HINT }),
  accountUnknown: ({ signer }) => refusal('noAccount', [], { got: signer, why: SIGNER_HINT }),
  depositFirst: ({ signer }) => refusal('depositFirst', [], { got: signer, why: SIGNER_HINT }),
  actionExpired: ({ expiresAfterMs, timeMs }) =>
    refusal('actionExpired', [expiresAfterMs, timeMs], {
      field: 'expiresAfter',
      got: expiresAfterMs,
      allowed: { min: timeMs },
    }),
  nonceTooOld: (reject, context) => refusal('nonceTooOld', [], nonceDetails(reject, context)),
  nonceTooNew: (reject, context) => refusal('nonceTooFar', [], nonceDetails(reject, context)),
  nonceBeforeLog: (reject, context) =>
    refusal('nonceBeforeVenue', [reject.minExclusive], nonceDetails(reject, context)),
  nonceUsed: (_, { nonce }) =>
    refusal('nonceUsed', [], {
      field: 'nonce',
      ...gotDetails(nonce),
      ...(nonce === undefined ? {} : { allowed: { min: nonce + 1 } }),
    }),
  nonceTooLow: ({ floor }, { nonce }) =>
    refusal('nonceTooLow', [floor], {
      field: 'nonce',
      ...gotDetails(nonce),
      allowed: { min: floor + 1 },
    }),
  agentIsSelf: () => refusal('agentIsSelf', [], { field: 'agentAddress' }),
  agentLabelTooLong: () => refusal('agentNameTooLong', [], { field: 'agentName' }),
  agentLabelUnknown: () => refusal('agentLabelUnknown', [], { field: 'agentName' }),
  agentAddressUsed: (_, context) =>
    refusal('agentAddressUsed', [], { field: addressField(context) }),
  agentsFull: () => refusal('agentsFull', [], { field: 'agentName' }),
} satisfies Partial<Translations>;

function nonceDetails(
  reject: { readonly minExclusive: number; readonly maxExclusive: number },
  { nonce }: RejectContext,
): Details {
  const allowed = { min: reject.minExclusive + 1, max: reject.maxExclusive - 1 };
  return { field: 'nonce', ...gotDetails(nonce), allowed };
}

/** The messages for gate refusals, also shown in the account status. */
export const GATE_TEXTS = {
  blacklisted: 'userBlacklisted',
  closed: 'exchangeClosed',
  notWhitelisted: 'userNotWhitelisted',
  notGranted: 'userNotAuthorized',
} as const satisfies Record<GateRefusal, MessageKey>;

type VaultFault = Extract<Reject, { reason: 'vaultInvalid' }>['why'];

const VAULT_FAULTS = {
  agent: () => refusal('agentAddressUsed', [], { field: 'vault' }),
  builder: () => refusal('invalidBuilder', [], { field: 'vault' }),
  multiSig: () => refusal('invalidMultiSigSigners', [], { field: 'vault' }),
  fund: () => refusal('invalidValue', ['vault', 'is the insurance fund'], { field: 'vault' }),
} satisfies Record<VaultFault, () => unknown>;

export const KEYS = {
  multiSigUnknown: ({ user }) =>
    refusal('notMultiSig', [user], { field: 'payload.multiSigUser', got: user }),
  signerNotInSet: ({ signer, user }) =>
    refusal('signerNotInSet', [signer, user], { field: 'payload.outerSigner', got: signer }),
  signaturesMissing: ({ count, threshold }) =>
    refusal('notEnoughSignatures', [count, threshold], {
      field: 'signatures',
      got: count,
      allowed: { min: threshold },
    }),
  multiSigRequired: () => refusal('multiSigRequired', []),
  multiSigSetInvalid: ({ why }) => refusal('invalidMultiSigSigners', [], { field: 'signers', why }),
  vaultUnknown: ({ vault }) =>
    refusal('vaultUnknown', [vault], { field: 'vaultAddress', got: vault }),
  vaultLeaderDiffers: ({ vault }) =>
    refusal('notVaultLeader', [vault], { field: 'vaultAddress', got: vault }),
  vaultInvalid: ({ why }) => VAULT_FAULTS[why](),
  gated: ({ gate }) => refusal(GATE_TEXTS[gate], []),
  builderInvalid: () => refusal('invalidBuilder', [], { field: 'builder' }),
  builderIsSelf: () => refusal('builderIsSigner', [], { field: 'builder' }),
  builderFeeInvalid: () =>
    refusal('invalidMaxFeeRate', [], { field: 'maxFeeRate', allowed: MAX_FEE_RATE }),
  buildersFull: () => refusal('buildersFull', [], { field: 'builder' }),
  builderUnknown: () => refusal('builderNotApproved', [], { field: 'builder' }),
  builderRewardsNone: () => refusal('noBuilderRewards', []),
} satisfies Partial<Translations>;

/** The smallest amount of money, in USDC. */
const MICRO_USDC = formatMoney(1);

export const MONEY = {
  tokenUnknown: ({ token }) => refusal('unknownToken', [token], { field: 'token', got: token }),
  amountInexact: ({ floor }, context) =>
    refusal('sizeOffLot', [MICRO_USDC], {
      ...amountAt(context),
      allowed: { step: MICRO_USDC },
      nearest: [validText(floor, MONEY_DECIMALS), validText(floor + 1n, MONEY_DECIMALS)],
    }),
  addressInvalid: ({ address }, context) =>
    refusal('invalidAddress', [], { field: addressField(context), got: address }),
  sameSubAccount: () => refusal('sameSourceAndDestination', [], { field: 'toAccountType' }),
  transferBelowMin: ({ min }, context) =>
    refusal('transferBelowMin', [], leastAmount(context, min)),
  withdrawBelowMin: ({ min }, context) =>
    refusal('withdrawBelowMin', [], leastAmount(context, min)),
  insuranceBelowTarget: () => refusal('insuranceBelowTarget', []),
  balanceInsufficient: ({ required, available, reservedBy = [] }, context) =>
    refusal('insufficientBalance', [], {
      ...spendingAt(context),
      required: requiredText(required, context),
      available: formatMoney(available),
      ...(reservedBy.length === 0 ? {} : { reservedBy: reservedBy.map(reserveText) }),
    }),
} satisfies Partial<Translations>;

/**
 * Returns the field responsible for the cost: the amount, a list entry, the size of an amend, or
 * the margin to be added.
 */
function spendingAt(context: RejectContext): Details {
  const { amount, field = '', size } = context.entry ?? {};
  if (amount !== undefined) return amountAt(context);
  // An amend needs more margin because of its new size.
  if (field === '' && size !== undefined) return sizeAt(context);
  return field === '' ? { field: 'ntli' } : { field };
}

/**
 * Formats the required amount. An amount beyond the venue's range reaches the engine as the
 * maximum, so the amount as the client wrote it is used instead.
 */
function requiredText(required: bigint, { entry }: RejectContext): string {
  const isCut = required >= BigInt(Number.MAX_SAFE_INTEGER) && entry?.amount !== undefined;
  return isCut ? entry.amount : formatMoney(required);
}

function amountAt({ entry }: RejectContext): Details {
  return { field: 'amount', ...gotDetails(entry?.amount) };
}

function leastAmount(context: RejectContext, min: bigint): Details {
  return { ...amountAt(context), allowed: { min: formatMoney(min) } };
}

function reserveText({ what, amount }: ReservedBy): { what: string; amount: string } {
  return { what, amount: formatMoney(amount) };
}

export const SETTINGS = {
  leverageInvalid: ({ leverage }) =>
    refusal('invalidLeverage', [leverage], { field: 'leverage', got: leverage }),
  leverageOpenOrders: (_, context) => refusal('leverageOpenOrders', [], instrumentAt(context)),
  leverageTpslOrders: (_, context) => refusal('leverageTpslOrders', [], instrumentAt(context)),
  leverageTriggerOrders: (_, context) =>
    refusal('leverageTriggerOrders', [], instrumentAt(context)),
  leverageTooHigh: ({ instrumentId, max }, context) =>
    refusal('leverageAboveMax', [nameOf(context, instrumentId)], {
      field: 'leverage',
      allowed: { max },
    }),
  positionModeOpenPositions: () =>
    refusal('positionModeOpenPositions', [], { field: 'positionMode' }),
  positionModeOpenOrders: () => refusal('positionModeOpenOrders', [], { field: 'positionMode' }),
  marginModeOpenPositions: (_, context) =>
    refusal('marginModeOpenPositions', [], instrumentAt(context)),
  marginModeOpenOrders: (_, context) => refusal('marginModeOpenOrders', [], instrumentAt(context)),
  isolatedPositionMissing: ({ instrumentId }, context) =>
    refusal('noIsolatedPosition', [nameOf(context, instrumentId)], instrumentAt(context)),
  positionMissing: ({ instrumentId }, context) =>
    refusal('noPosition', [nameOf(context, instrumentId)], instrumentAt(context)),
  marginNotFree: (amounts) =>
    refusal('marginNotFree', [], { field: 'ntli', ...amountsOf(amounts) }),
  scheduleTooSoon: ({ minMs }, context) =>
    refusal('scheduleTooSoon', [], {
      field: 'time',
      ...gotDetails(context.entry?.expireMs),
      allowed: { min: minMs },
    }),
  reverseUnderWay: ({ instrumentId }, context) =>
    refusal('reverseUnderWay', [nameOf(context, instrumentId)], instrumentAt(context)),
} satisfies Partial<Translations>;

function amountsOf({ required, available }: { required: bigint; available: bigint }): Details {
  return { required: formatMoney(required), available: formatMoney(available) };
}
