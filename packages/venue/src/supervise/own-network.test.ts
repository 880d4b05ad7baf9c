import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@oddlot/host/log';
import { NETWORKS } from '@oddlot/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { drawServiceName } from '@oddlot/replica/log/data-folder';
import { renameVenue } from '@oddlot/replica/rename-venue';
import { ownNetwork } from './data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-network-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a start with these flags finds, and what it tells. */
async function started(...flags: readonly string[]) {
  const told: string[] = [];
  const destination = { write: (line: string) => told.push(line) };
  const log = createLogger({ level: 'info', destination });
  const own = await ownNetwork(readConfig(['--data', folder, ...flags], {}), log);
  return { ...own, told: told.join('') };
}

const NAMED = ['--service-network', 'example.org'];

test('play money goes by the name of its network', async () => {
  const { network, told } = await started();
  expect(network).toEqual(NETWORKS.testnet);
  expect(told).toBe('');
});

test('a word makes a name with the first start, and every later one has the same', async () => {
  const first = await started(...NAMED);
  expect(first.network.serviceNetwork).toMatch(/^example\.org-[0-9a-f]{8}$/);
  expect(first.network).toMatchObject({ chainId: 2511, apiVersion: 1 });
  expect(first.told).toContain(first.network.serviceNetwork);
  const second = await started(...NAMED);
  expect(second.network).toEqual(first.network);
  expect(second.told).toBe('');
  // The name is the folder's: a venue of play money that forgets to say it keeps it.
  expect((await started()).network).toEqual(first.network);
});

test('a mainnet has its own ids under its own name', async () => {
  const { network } = await started('--network', 'mainnet', '--oracle', 'exchanges', ...NAMED);
  expect(network).toMatchObject({ chainId: 869, apiVersion: 1 });
  expect(network.serviceNetwork).toMatch(/^example\.org-/);
});

test('another word than the folder’s is refused in a sentence', async () => {
  const { network } = await started(...NAMED);
  await expect(started('--service-network', 'other.org')).rejects.toThrow(
    `serviceNetwork: the network name of the data folder is ${network.serviceNetwork}, not other.org. ` +
      'To turn a copy into another venue, rename it with npm run rename-venue',
  );
  expect((await started(...NAMED)).network).toEqual(network);
});

describe('a folder that had a name and lost its file', () => {
  const file = (): string => join(folder, 'service-network');

  test('gets neither another one nor that of its network', async () => {
    const { serviceNetwork } = (await started(...NAMED)).network;
    const kept = readFileSync(file());
    rmSync(file());
    const why =
      `${file()} is missing, but the log next to it was written for ${serviceNetwork}. Restore the file, ` +
      'write that name into it, or rename the folder with npm run rename-venue';
    await expect(started(...NAMED)).rejects.toThrow(why);
    await expect(started()).rejects.toThrow(why);
    expect(existsSync(file())).toBe(false);
    writeFileSync(file(), kept);
    expect((await started(...NAMED)).network.serviceNetwork).toBe(serviceNetwork);
  });

  test('starts after a rename, and remembers', async () => {
    const { serviceNetwork: lost } = (await started(...NAMED)).network;
    rmSync(file());
    expect((await renameVenue({ data: folder, word: 'example.org' })).former).toBe(lost);
    const { network, otherNetworks } = await started(...NAMED);
    expect(network.serviceNetwork).not.toBe(lost);
    expect(otherNetworks.map(({ serviceNetwork }) => serviceNetwork)).toContain(lost);
  });

  test('is not started with the file of another', async () => {
    const { serviceNetwork } = (await started(...NAMED)).network;
    writeFileSync(file(), 'example.org-00000000\n');
    await expect(started(...NAMED)).rejects.toThrow(`was written for ${serviceNetwork}`);
  });

  test('a rename that was cut short is no loss', async () => {
    const { serviceNetwork } = (await started(...NAMED)).network;
    writeFileSync(file(), `example.org-00000000\n${serviceNetwork}\n`);
    expect((await started(...NAMED)).network.serviceNetwork).toBe('example.org-00000000');
    rmSync(file());
    await expect(started()).rejects.toThrow('was written for example.org-00000000');
  });

  test('a log without a name gets one with its first word', async () => {
    mkdirSync(join(folder, 'journal'));
    writeFileSync(join(folder, 'journal', 'journal-0000000000000000.log'), 'entries');
    expect((await started()).network).toEqual(NETWORKS.testnet);
    expect((await started(...NAMED)).network.serviceNetwork).toMatch(/^example\.org-/);
  });
});

test('clients may have signed for the networks, for the bare word, and for former names', async () => {
  const { name: former } = await drawServiceName(folder, 'before.org');
  await drawServiceName(folder, 'example.org');
  const { otherNetworks } = await started();
  const names = otherNetworks.map(({ serviceNetwork }) => serviceNetwork);
  expect(names).toEqual([former, 'example.org', 'Oddlot-Mainnet', 'Oddlot-Testnet']);
});

describe('a shared name is told', () => {
  const SHARED = 'other venues use the same network name';

  test.each<[string, readonly string[]]>([
    ['beyond loopback', ['--host', '0.0.0.0']],
    ['on all interfaces of IPv6', ['--host', '::']],
    ['behind a proxy', ['--trusted-proxies', '127.0.0.1']],
  ])('%s', async (_, flags) => {
    expect((await started(...flags)).told).toContain(SHARED);
    expect((await started(...flags, ...NAMED)).told).not.toContain(SHARED);
  });

  test.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])('not at %s', async (host) => {
    expect((await started('--host', host)).told).toBe('');
  });
});
