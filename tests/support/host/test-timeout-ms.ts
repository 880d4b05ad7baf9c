const HOUR_MS = 3_600_000;

/** Returns a test's timeout in milliseconds. Under `npm run test:long`, it is one hour. */
export function testTimeoutMs(ms: number): number {
  return process.env['TEST_LONG'] === undefined ? ms : HOUR_MS;
}
