import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { chainFault, urlEndpoint } from './endpoints.ts';

const TIMEOUT_MS = 300;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serving(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    answer(response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a chain endpoint can be reached by URL', () => {
  test('a URL endpoint returns the response to a request', async () => {
    const url = await serving((response) =>
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x7"}'),
    );
    expect(await urlEndpoint(url, TIMEOUT_MS).request('eth_blockNumber', [])).toBe('0x7');
  });

  test('a URL endpoint times out if a response starts and then stalls', async () => {
    const silent = await serving(() => undefined);
    const halting = await serving((response) => void response.write('{"jsonrpc":"2.0","id":1,'));
    for (const url of [silent, halting]) {
      const asked = urlEndpoint(url, TIMEOUT_MS).request('eth_blockNumber', []);
      await expect(asked).rejects.toSatisfy((error) => /took too long/.test(chainFault(error)));
    }
  });

  test('a URL endpoint stops reading a response that exceeds the size limit', async () => {
    const url = await serving((response) => {
      const more = (): void => {
        if (!response.destroyed) response.write(' '.repeat(1_000_000), () => setImmediate(more));
      };
      more();
    });
    const asked = urlEndpoint(url, 60_000).request('eth_getLogs', []);
    await expect(asked).rejects.toThrow('the response exceeds 10000000 bytes');
  });
});
