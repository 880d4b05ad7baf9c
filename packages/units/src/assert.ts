/**
 * A broken invariant: a bug in this program, never a user error. It is not caught; the process
 * stops.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Stops the process if a claim about the program is false. Stays enabled in production. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Returns the value, or stops the process if it is absent. For lookups that cannot miss. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new InvariantError(`missing: ${what}`);
  return value;
}
