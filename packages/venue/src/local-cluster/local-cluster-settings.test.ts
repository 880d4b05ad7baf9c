import { readSettings } from '@oddlot/host/settings';
import { expect, test } from 'vitest';
import { LOCAL_CLUSTER_SETTINGS } from './local-cluster.ts';

const read = (...args: string[]) => readSettings(LOCAL_CLUSTER_SETTINGS, args);

test('with 0, dead processes are not restarted, as the help text states', () => {
  expect(read('--again-after-ms', '0').againAfterMs).toBe(0);
  expect(read().againAfterMs).toBe(3_000);
});

test('there is at least one replica and one server', () => {
  expect(() => read('--replicas', '0')).toThrow('replicas: must be a whole number, 1 or more');
  expect(() => read('--servers', '0')).toThrow('servers: must be a whole number, 1 or more');
});
