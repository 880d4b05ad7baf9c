import type { WireError } from '@oddlot/protocol';

/** Rows cannot be told, for a reason that the client is told. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly refusal: WireError;

  constructor(refusal: WireError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
