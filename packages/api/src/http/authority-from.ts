import type { Authority } from '@oddlot/engine';
import { refusal, type WireError } from '@oddlot/protocol';
import type { Address, Hash, TimeMs } from '@oddlot/units';
import type { SentRequest } from '../read-request.ts';
import type { Recovered } from '../recoverer.ts';

/** Who asks, for whom and under which name; or why the signatures do not add up. */
export function authorityFrom(
  { envelope, wrapper }: SentRequest,
  { signer, innerSigners }: Recovered,
  txHash: Hash,
): Authority | WireError {
  if (signer === undefined) return refusal('invalidSignature', [], { field: 'signature' });
  const { nonce, expiresAfter, vaultAddress } = envelope;
  const authority = {
    signer: signer as Address,
    nonce,
    txHash,
    ...(typeof expiresAfter === 'number' ? { expiresAfterMs: expiresAfter as TimeMs } : {}),
    ...(typeof vaultAddress === 'string' ? { vault: vaultAddress } : {}),
  };
  if (wrapper === undefined) return authority;
  const { multiSigUser: user, outerSigner } = wrapper;
  if (signer !== outerSigner) {
    return refusal('signerNotUser', [], { field: 'payload.outerSigner', got: signer });
  }
  const signers = innerSigners ?? [];
  const nobody = signers.indexOf(undefined);
  if (nobody >= 0) return refusal('invalidSignature', [], { field: `signatures[${nobody}]` });
  return { ...authority, multiSig: { user, signers: [...new Set(signers)] as Address[] } };
}
