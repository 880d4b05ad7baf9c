/**
 * The refusal texts that clients write as well, for what they find before they send it. Each is a constant of its own, so that a
 * client brings these and not the whole table.
 */

export const invalidMultiSigSigners = (): string => 'Invalid multi-sig signers';
export const notAllowed = (): string => 'This action is not allowed.';
export const missingField = (name: string): string => `Missing field: ${name}`;
export const wrongType = (name: string): string => `Wrong type for ${name}`;
export const entryCount = (name: string, min: number, max: number): string =>
  `${name} must hold ${min} to ${max} entries`;
export const vaultNotAllowed = (): string => 'vaultAddress is not allowed for this action';
export const nonceTooFar = (): string => 'Nonce too far in the future';
export const nonceDiffers = (): string => 'Action nonce does not match envelope nonce';
export const networkMismatch = (expected: string, got: string): string =>
  `Network mismatch: expected ${expected}, got ${got}`;
export const chainIdMismatch = (expected: number, got: number): string =>
  `Chain ID mismatch: expected ${expected}, got ${got}`;
export const apiVersionMismatch = (expected: number, got: number): string =>
  `API version mismatch: expected ${expected}, got ${got}`;
export const expiryNotAllowed = (): string => 'expiresAfter is not allowed for this action';
export const invalidMaxFeeRate = (): string => 'Invalid max fee rate';
