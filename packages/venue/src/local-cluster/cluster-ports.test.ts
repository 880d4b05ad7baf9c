import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SettingError } from '@oddlot/host/settings';
import { expect, test } from 'vitest';
import { clusterPorts, expectPortsFree } from './local-cluster.ts';

test('every process in a cluster has its own ports in a predictable range', () => {
  expect(clusterPorts({ port: 8690, replicas: 3, servers: 3 })).toEqual({
    replicas: [8690, 8700, 8710],
    servers: 8720,
    wallets: 8729,
    owner: 8730,
  });
});

test('a main port without enough ports above it for all processes is rejected before anything starts', () => {
  const sizes = { replicas: 3, servers: 3 };
  const highest = 65_495;
  expect(clusterPorts({ port: highest, ...sizes }).owner).toBe(65_535);
  for (const port of [0, highest + 1, 65_530]) {
    const attempt = (): unknown => clusterPorts({ port, ...sizes });
    expect(attempt).toThrow(SettingError);
    expect(attempt).toThrow(
      'port: must be from 1 to 65495, because 3 replicas and 3 servers use ports up to 40 above it',
    );
  }
  expect(() => clusterPorts({ port: 8690, replicas: 7_000, servers: 3 })).toThrow(
    'replicas: 7000 replicas and 3 servers need more ports than are available',
  );
});

test('the error for a port in use names the port and its purpose', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  // The test server uses the chain's port, and the other ports are not checked.
  const ports = { replicas: [], servers: port, wallets: port, owner: port };
  await expect(expectPortsFree(ports)).rejects.toThrow(
    `Port ${port} for the settlement chain is not available: already in use. Choose another --port`,
  );
  other.close();
  await once(other, 'close');
  await expectPortsFree(ports);
});
