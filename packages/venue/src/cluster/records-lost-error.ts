/** Somebody else has taken the records over, or this process may not write them any more. */
export class RecordsLostError extends Error {
  override readonly name = 'RecordsLostError';
}
