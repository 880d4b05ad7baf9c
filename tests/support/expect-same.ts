import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/**
 * Works like `expect(seen, what).toEqual(wanted)`, but creates an expectation only if the values
 * differ. Creating one takes longer than running a step, and callers compare after each of a
 * hundred thousand steps.
 */
export function expectSame<Seen>(seen: Seen, wanted: NoInfer<Seen>, what?: string): void {
  if (!isDeepStrictEqual(seen, wanted)) expect(seen, what).toEqual(wanted);
}
