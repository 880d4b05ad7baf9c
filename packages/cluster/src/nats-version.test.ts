import { expect, test } from 'vitest';
import { isBelowNatsMin } from './nats-version.ts';

test('NATS versions are compared by their numbers, and an unreadable version counts as too old', () => {
  for (const version of ['2.10.0', '2.10', 'v2.10.27', '2.10.0-RC.1', '2.15.1', '3.0.0', '10.0']) {
    expect(isBelowNatsMin(version), version).toBe(false);
  }
  for (const version of ['2.9.10', '2.9.99', '1.4.1', '2', 'nats-server: v2.9.25', '']) {
    expect(isBelowNatsMin(version), version).toBe(true);
  }
});
