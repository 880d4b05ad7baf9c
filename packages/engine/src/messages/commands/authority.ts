import type { Address, Hash, TimeMs } from '@oddlot/units';

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
