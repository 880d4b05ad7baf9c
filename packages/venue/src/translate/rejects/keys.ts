import { MAX_FEE_RATE, refusal, type MessageKey } from '@oddlot/protocol';
import type { GateRefusal, Reject } from '@oddlot/engine';
import type { Translations } from './context.ts';

/** Refusals of whom a request acts for (multi-sig, vault, gate) and of who may charge or sign. */

/** The text of each reason of the gate; the account status says the same. */
export const GATE_TEXTS = {
  blacklisted: 'userBlacklisted',
  closed: 'exchangeClosed',
  notWhitelisted: 'userNotWhitelisted',
  notGranted: 'userNotAuthorized',
} as const satisfies Record<GateRefusal, MessageKey>;

type VaultFault = Extract<Reject, { reason: 'vaultInvalid' }>['why'];

/** What an address already is that no vault can be. */
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
