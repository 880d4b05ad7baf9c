/** A key that cannot be used; its message is meant for the operator and never holds the key. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
}
