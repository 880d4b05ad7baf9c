import type { Authority } from '@oddlot/engine';
import {
  checkBinding,
  checkExpiryAllowed,
  checkUnknownFields,
  checkVaultAllowed,
  ENVELOPE_NAMED,
  LIMITS,
  parseAction,
  parseEnvelope,
  refusal,
  type Action,
  type Envelope,
  type MultiSigAction,
  type Network,
  type WireError,
} from '@oddlot/protocol';
import type { Address, Hash, TimeMs } from '@oddlot/units';
import { refuseUnsupported, type PlainAction } from '../../translate/action-to-command.ts';
import { insideWrapper } from '../../translate/wrapped-field.ts';
import type { Recovered } from '../recover-worker.ts';

/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const BYTES_PER_CHAR_MAX = 3;

/** A request whose shape is right. */
export type SentRequest = {
  readonly envelope: Envelope;
  /** What is asked for; when it came in a multiSig wrapper, what that carried. */
  readonly action: PlainAction;
  readonly wrapper?: MultiSigAction;
};

/**
 * Reads a request, or says what its text alone makes wrong. `chars` is the length of its text: a short
 * one cannot hold much that nothing names.
 */
export function readRequest(
  network: Network,
  { body, chars }: { readonly body: Readonly<Record<string, unknown>>; readonly chars: number },
): SentRequest | WireError {
  const enveloped = parseEnvelope(body);
  if (!enveloped.ok) return enveloped.error;
  const { envelope } = enveloped;
  const parsed = parseAction(envelope.action);
  if (!parsed.ok) return parsed.error;
  if (chars > LIMITS.unknownBytesMax / BYTES_PER_CHAR_MAX) {
    const unknown = checkUnknownFields(ENVELOPE_NAMED, body);
    if (unknown !== undefined) return unknown;
  }
  const sent: Action = parsed.action;
  const wrapper = sent.type === 'multiSig' ? sent : undefined;
  const action = sent.type === 'multiSig' ? sent.payload.action : sent;
  const refused =
    checkBinding(sent, envelope, network) ??
    checkVaultAllowed(sent, envelope) ??
    checkExpiryAllowed(sent, envelope);
  if (refused !== undefined) return refused;
  const unsupported = refuseUnsupported(action);
  if (unsupported !== undefined) {
    return wrapper === undefined ? unsupported : insideWrapper(unsupported);
  }
  return wrapper === undefined ? { envelope, action } : { envelope, action, wrapper };
}

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
  const { multiSigUser: user, outerSigner } = wrapper.payload;
  if (signer !== outerSigner) {
    return refusal('signerNotUser', [], { field: 'payload.outerSigner', got: signer });
  }
  const signers = innerSigners ?? [];
  const nobody = signers.indexOf(undefined);
  if (nobody >= 0) return refusal('invalidSignature', [], { field: `signatures[${nobody}]` });
  return { ...authority, multiSig: { user, signers: [...new Set(signers)] as Address[] } };
}
