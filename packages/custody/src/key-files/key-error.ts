/** Thrown if a key cannot be used. The message is for the operator and never contains the key. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
}
