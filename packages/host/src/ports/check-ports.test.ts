import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '@oddlot/testing/host';
import { checkPorts, PortError } from './check-ports.ts';

const host = '127.0.0.1';

test('checking ports leaves free ports free, and accepts port 0', async () => {
  const server = createServer();
  const port = await listen(server, 0, host);
  await new Promise((resolve) => server.close(resolve));
  await checkPorts([
    { port, host, flag: '--port' },
    { port: 0, host, flag: '--ops-port' },
  ]);
  expect(await listen(server, port, host)).toBe(port);
  server.close();
});

test('the error for a port in use names its flag, and the other ports are released', async () => {
  const [taken, other] = [createServer(), createServer()];
  const port = await listen(taken, 0, host);
  const free = await listen(other, 0, host);
  await new Promise((resolve) => other.close(resolve));
  const requests = [
    { port: free, host, flag: '--port' },
    { port, host, flag: '--ops-port' },
  ];
  const failed = checkPorts(requests);
  await expect(failed).rejects.toThrow(PortError);
  await expect(failed).rejects.toMatchObject({
    port,
    code: 'EADDRINUSE',
    message: `Port ${port} of ${host} is already in use. Choose another one with --ops-port.`,
  });
  expect(await listen(other, free, host)).toBe(free);
  other.close();
  taken.close();
});

test("the same port twice and another machine's address are refused", async () => {
  const server = createServer();
  const port = await listen(server, 0, host);
  await new Promise((resolve) => server.close(resolve));
  await expect(
    checkPorts([
      { port, host, flag: '--port' },
      { port, host, flag: '--ops-port' },
    ]),
  ).rejects.toThrow(
    `Port ${port} of ${host} is already in use. Choose another one with --ops-port.`,
  );
  await expect(checkPorts([{ port: 0, host: '192.0.2.1', flag: '--port' }])).rejects.toThrow(
    /^Port 0 of 192\.0\.2\.1 cannot be opened \(.*EADDRNOTAVAIL/,
  );
});
