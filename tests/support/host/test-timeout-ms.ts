const HOUR_MS = 3_600_000;

/** Returns the timeout of a test, which is one hour with `npm run test:long`. */
export function testTimeoutMs(ms: number): number {
  return process.env['TEST_LONG'] === undefined ? ms : HOUR_MS;
}
