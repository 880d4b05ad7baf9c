/**
 * A broken invariant, which is a bug in this program, never a user error. The error is not caught,
 * so the process stops.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Stops the process if a statement about the program is false. The check stays enabled in
 * production.
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/**
 * Returns the value, or stops the process if it is absent. For lookups that must always find a
 * value.
 */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new InvariantError(`missing: ${what}`);
  return value;
}
