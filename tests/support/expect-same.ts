import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/**
 * The same as `expect(seen, what).toEqual(wanted)`, for what is compared after each of a hundred thousand steps: an expectation
 * costs more than the step itself, so there is one only where something differs.
 */
export function expectSame<Seen>(seen: Seen, wanted: NoInfer<Seen>, what?: string): void {
  if (!isDeepStrictEqual(seen, wanted)) expect(seen, what).toEqual(wanted);
}
