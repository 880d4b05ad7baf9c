const HOUR_MS = 3_600_000;

/** The timeout of a test; `npm run test:long` allows up to one hour. */
export function patienceMs(ms: number): number {
  return process.env['TEST_LONG'] === undefined ? ms : HOUR_MS;
}
