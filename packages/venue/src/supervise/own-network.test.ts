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

/** Returns the network of a venue started with these flags, and its log messages. */
async function started(...flags: readonly string[]) {
  const output: string[] = [];
  const destination = { write: (line: string) => output.push(line) };
  const log = createLogger({ level: 'info', destination });
  const own = await ownNetwork(readConfig(['--data', folder, ...flags], {}), log);
  return { ...own, output: output.join('') };
}

const NAMED = ['--service-network', 'example.org'];

test('a venue with test funds uses the name of its network', async () => {
  const { network, output } = await started();
  expect(network).toEqual(NETWORKS.testnet);
  expect(output).toBe('');
});

test('a configured name is extended on the first startup and kept on every later one', async () => {
  const first = await started(...NAMED);
  expect(first.network.serviceNetwork).toMatch(/^example\.org-[0-9a-f]{8}$/);
  expect(first.network).toMatchObject({ chainId: 2511, apiVersion: 1 });
  expect(first.output).toContain(first.network.serviceNetwork);
  const second = await started(...NAMED);
  expect(second.network).toEqual(first.network);
  expect(second.output).toBe('');
  // The name is stored in the folder, so a venue with test funds keeps it without the flag.
  expect((await started()).network).toEqual(first.network);
});

test('a mainnet venue has its own ids under its own name', async () => {
  const { network } = await started('--network', 'mainnet', '--oracle', 'exchanges', ...NAMED);
  expect(network).toMatchObject({ chainId: 869, apiVersion: 1 });
  expect(network.serviceNetwork).toMatch(/^example\.org-/);
});

test('a configured name that differs from the stored one is refused in one sentence', async () => {
  const { network } = await started(...NAMED);
  await expect(started('--service-network', 'other.org')).rejects.toThrow(
    `serviceNetwork: the network name of the data folder is ${network.serviceNetwork}, not other.org. ` +
      'To turn a copy into another venue, rename it with npm run rename-venue',
  );
  expect((await started(...NAMED)).network).toEqual(network);
});

describe('a folder that has lost its network name file is not silently renamed', () => {
  const file = (): string => join(folder, 'service-network');

  test('a folder without its name file gets neither a new name nor that of its network', async () => {
    const { serviceNetwork } = (await started(...NAMED)).network;
    const content = readFileSync(file());
    rmSync(file());
    const why =
      `${file()} is missing, but the log next to it was written for ${serviceNetwork}. Restore the file, ` +
      'write that name into it, or rename the folder with npm run rename-venue';
    await expect(started(...NAMED)).rejects.toThrow(why);
    await expect(started()).rejects.toThrow(why);
    expect(existsSync(file())).toBe(false);
    writeFileSync(file(), content);
    expect((await started(...NAMED)).network.serviceNetwork).toBe(serviceNetwork);
  });

  test('a folder without its name file starts after a rename and remembers its former name', async () => {
    const { serviceNetwork: lost } = (await started(...NAMED)).network;
    rmSync(file());
    expect((await renameVenue({ data: folder, word: 'example.org' })).former).toBe(lost);
    const { network, otherNetworks } = await started(...NAMED);
    expect(network.serviceNetwork).not.toBe(lost);
    expect(otherNetworks.map(({ serviceNetwork }) => serviceNetwork)).toContain(lost);
  });

  test("a venue does not start with another folder's name file", async () => {
    const { serviceNetwork } = (await started(...NAMED)).network;
    writeFileSync(file(), 'example.org-00000000\n');
    await expect(started(...NAMED)).rejects.toThrow(`was written for ${serviceNetwork}`);
  });

  test('a venue recovers from an interrupted rename', async () => {
    const { serviceNetwork } = (await started(...NAMED)).network;
    writeFileSync(file(), `example.org-00000000\n${serviceNetwork}\n`);
    expect((await started(...NAMED)).network.serviceNetwork).toBe('example.org-00000000');
    rmSync(file());
    await expect(started()).rejects.toThrow('was written for example.org-00000000');
  });

  test('a venue whose log was written without a name gets one', async () => {
    mkdirSync(join(folder, 'journal'));
    writeFileSync(join(folder, 'journal', 'journal-0000000000000000.log'), 'entries');
    expect((await started()).network).toEqual(NETWORKS.testnet);
    expect((await started(...NAMED)).network.serviceNetwork).toMatch(/^example\.org-/);
  });
});

test('signatures for the known networks, the bare word and former names are recognized as meant for another network', async () => {
  const { name: former } = await drawServiceName(folder, 'before.org');
  await drawServiceName(folder, 'example.org');
  const { otherNetworks } = await started();
  const names = otherNetworks.map(({ serviceNetwork }) => serviceNetwork);
  expect(names).toEqual([former, 'example.org', 'Oddlot-Mainnet', 'Oddlot-Testnet']);
});

describe('a shared network name is logged as a warning', () => {
  const SHARED = 'other venues use the same network name';

  test.each<[string, readonly string[]]>([
    ['beyond loopback', ['--host', '0.0.0.0']],
    ['on all IPv6 interfaces', ['--host', '::']],
    ['behind a proxy', ['--trusted-proxies', '127.0.0.1']],
  ])('%s', async (_, flags) => {
    expect((await started(...flags)).output).toContain(SHARED);
    expect((await started(...flags, ...NAMED)).output).not.toContain(SHARED);
  });

  test.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])(
    'the warning does not appear at %s',
    async (host) => {
      expect((await started('--host', host)).output).toBe('');
    },
  );
});
