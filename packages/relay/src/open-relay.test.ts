import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@oddlot/host/log';
import { listen } from '@oddlot/testing/host';
import { NETWORKS } from '@oddlot/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RelayBook } from './book/relay-book.ts';
import { openRelay } from './open-relay.ts';
import { RelayKeys } from './relay-keys.ts';
import { readRelaySettings } from './relay-settings.ts';

/**
 * These tests cover where a relay's seed may be stored. The seed controls all of the relay's money.
 */

const WORDS = 'test test test test test test test test test test test junk';
const NAME = 'example.org-3fa9c1d2';
const folder = mkdtempSync(join(tmpdir(), 'oddlot-relay-'));
const data = join(folder, 'data');
const { apiVersion, chainId } = NETWORKS.mainnet;
const settings = { service_network: NAME, chain_id: chainId, api_version: apiVersion };
const server = createServer((_, response) =>
  response.end(JSON.stringify({ success: true, data: settings })),
);
let venue = '';
beforeAll(async () => {
  mkdirSync(data);
  venue = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

function opened(seed: string): Promise<unknown> {
  const flags = ['--seed', seed, '--data', data, '--venue', venue, '--service-network', NAME];
  return openRelay(readRelaySettings(flags, {}), {
    log: createLogger({ level: 'silent' }),
    now: () => 1,
    env: {},
    onFatal: () => undefined,
  });
}

test('on mainnet, a relay refuses a seed that others can read, and a seed in the data folder', async () => {
  const seed = join(folder, 'seed');
  writeFileSync(seed, WORDS);
  chmodSync(seed, 0o640);
  await expect(opened(seed)).rejects.toThrow(
    `seed: other users can read ${seed}; run chmod 600 ${seed}`,
  );
  const inside = join(data, 'seed');
  writeFileSync(inside, WORDS, { mode: 0o600 });
  await expect(opened(inside)).rejects.toThrow(
    'is in the data folder, which must not contain keys',
  );
  // If the seed is stored safely, startup gets as far as opening the chains.
  chmodSync(seed, 0o600);
  await expect(opened(seed)).rejects.toThrow(
    'chains: the settlement chain arbitrum has no endpoint',
  );
});

test('a relay refuses a seed that does not match its journal before it does any work', async () => {
  const other = new RelayKeys(
    'legal winner thank year wave sausage worth useful legal winner thank yellow',
  );
  const book = new RelayBook(join(data, 'relay.jsonl'));
  book.addAddress({
    kind: 'deposit',
    id: 'deposit-1',
    index: 0,
    address: other.address('deposit'),
    chain: 'base',
    dstAddr: other.address('float'),
    accountType: 'perp',
    minMicro: '1',
    feeMicro: '0',
    createMs: 1,
    expireMs: 2,
  });
  book.close();
  const seed = join(folder, 'foreign');
  writeFileSync(seed, WORDS, { mode: 0o600 });
  await expect(opened(seed)).rejects.toThrow(
    `seed: ${join(data, 'relay.jsonl')} was written with another seed: there, deposit-1 has the address ${other.address('deposit')}`,
  );
});
