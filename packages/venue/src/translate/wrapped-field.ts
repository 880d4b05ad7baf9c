import type { WireError } from '@oddlot/protocol';

/** Fields that a request with a multiSig wrapper has outside of the action that it carries. */
const OUTSIDE = /^(nonce|vaultAddress|expiresAfter|signatures\b|payload\.)/;

/** The refusal of an action that came in a multiSig wrapper, with its field where the client wrote it. */
export function insideWrapper(error: WireError): WireError {
  const field = error.details?.field;
  if (field === undefined || OUTSIDE.test(field)) return error;
  return { ...error, details: { ...error.details, field: `payload.action.${field}` } };
}
