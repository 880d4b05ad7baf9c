import type { Address, Hash, TimeMs } from '@oddlot/units';

/** Who may act for an account, and who may charge it. Signed by the account's own key. */

/** Binds, rebinds or (with the zero address) revokes the agent under a label. */
export type ApproveAgentCommand = {
  readonly type: 'approveAgent';
  readonly authority: Authority;
  readonly agent: Address;
  /** The empty label is the single unnamed agent. */
  readonly label: string;
};

/** R-builder: allows a builder to charge up to a rate, or changes the rate. */
export type ApproveBuilderCommand = {
  readonly type: 'approveBuilder';
  readonly authority: Authority;
  readonly builder: Address;
  /** 10^-8; absent when the text is not a rate above 0 and up to 1 %. */
  readonly maxFeeE8?: number;
  /** The rate as it was written. */
  readonly maxFeeText: string;
};

export type RevokeBuilderCommand = {
  readonly type: 'revokeBuilder';
  readonly authority: Authority;
  readonly builder: Address;
};

/** R-multisig: gives the account a set of signers, replaces it, or (with null) drops it. */
export type ConvertToMultiSigCommand = {
  readonly type: 'convertToMultiSig';
  readonly authority: Authority;
  /** Absent when the text is not a set of signers. */
  readonly signers?: MultiSigSet | null;
};

/** Who signs for a multi-sig account, and how many of them are needed. */
export type MultiSigSet = { readonly users: readonly Address[]; readonly threshold: number };

/** Who signed a command, for whom, and what makes it unique. */
export type Authority = {
  /** Whose nonce it is; the sender of the envelope when a multi-sig account acts. */
  readonly signer: Address;
  readonly nonce: number;
  readonly txHash: Hash;
  /** The command is refused when consensus time is past this. */
  readonly expiresAfterMs?: TimeMs;
  /** Act for this vault, whose leader the acting account is (R-vault). */
  readonly vault?: Address;
  /** Act for a multi-sig account: who signed the inner action, each once (R-multisig). */
  readonly multiSig?: { readonly user: Address; readonly signers: readonly Address[] };
};

/** The operator's own signature, on commands that came over the wire and not from the venue itself. */
export type Operator = Authority;

export type SubAccount = 'perp' | 'outcome';
