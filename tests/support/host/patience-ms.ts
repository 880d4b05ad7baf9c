const HOUR_MS = 3_600_000;

/** When a test counts as hanging. Those of `npm run test:long` do as much as a machine needs an hour for at most. */
export function patienceMs(ms: number): number {
  return process.env['TEST_LONG'] === undefined ? ms : HOUR_MS;
}
