/** A broken invariant: a mistake in this program, never of a user. It is not caught; the process stops. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Stops the process when a claim about the program does not hold. Left on in production. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** The value, or a stop when it is absent: for look-ups that cannot miss. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new InvariantError(`missing: ${what}`);
  return value;
}
