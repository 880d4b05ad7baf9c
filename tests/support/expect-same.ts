import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/**
 * Equivalent to `expect(seen, what).toEqual(wanted)`, for comparisons after each of a hundred
 * thousand steps: an expectation is slower than the step itself, so it is only created for a
 * difference.
 */
export function expectSame<Seen>(seen: Seen, wanted: NoInfer<Seen>, what?: string): void {
  if (!isDeepStrictEqual(seen, wanted)) expect(seen, what).toEqual(wanted);
}
