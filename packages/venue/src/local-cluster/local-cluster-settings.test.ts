import { readSettings } from '@oddlot/host/settings';
import { expect, test } from 'vitest';
import { LOCAL_CLUSTER_SETTINGS } from './local-cluster.ts';

const read = (...args: string[]) => readSettings(LOCAL_CLUSTER_SETTINGS, args);

test('a restart delay of 0 is accepted, and the default is 3,000 ms', () => {
  expect(read('--again-after-ms', '0').againAfterMs).toBe(0);
  expect(read().againAfterMs).toBe(3_000);
});

test('a cluster needs at least one replica and one server', () => {
  expect(() => read('--replicas', '0')).toThrow('replicas: must be a whole number, 1 or more');
  expect(() => read('--servers', '0')).toThrow('servers: must be a whole number, 1 or more');
});
