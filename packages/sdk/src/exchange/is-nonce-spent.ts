import { nonceTooFar } from '@oddlot/protocol';
import type { ApiError } from '../errors.ts';

/**
 * True of a refusal after which the same bytes never execute: their nonce is used up, or below what the venue takes. One that is
 * too far in the future will come.
 */
export function isNonceSpent({ message, name }: ApiError): boolean {
  return name === 'BAD_NONCE' && message !== nonceTooFar();
}
