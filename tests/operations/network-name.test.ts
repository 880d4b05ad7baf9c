import { execFile } from 'node:child_process';
import { cp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { renameVenue } from '../../packages/replica/src/rename-venue.ts';
import { Client } from '../support/client.ts';
import {
  FIXED_PRICE_FLAGS,
  NODE,
  removeTemporaryData,
  REPOSITORY,
  temporaryData,
  Venue,
  VenueRun,
} from '../support/venue-process.ts';

/**
 * Goal: the network name is drawn once and stays in the data folder, even if the process is killed.
 * Method: kill a venue before and after its first entry, copy it, and start it under another name.
 */

const NAMED = [...FIXED_PRICE_FLAGS, '--no-bots', '--service-network', 'example.org'];
const nameOf = async (venue: Venue): Promise<string> =>
  (await new Client(venue.url).data({ type: 'settings' })).service_network;
const fileOf = (data: string): string => join(data, 'service-network');

async function rename(...args: readonly string[]): Promise<string> {
  const command = [join('scripts', 'rename-venue.ts'), ...args];
  return (await promisify(execFile)(NODE, command, { cwd: REPOSITORY })).stdout;
}

/** The first two tests use this venue and its random name. */
let venue: Venue;
let name: string;
afterAll(async () => {
  await venue?.remove();
  await removeTemporaryData();
});

test('a venue draws its network name before the first entry and keeps it after a kill', async () => {
  const data = await temporaryData();
  const early = new VenueRun(data, NAMED);
  // The kill comes after the name has been drawn but before most of the start-up is done.
  const drawn = await expect
    .poll(() => readFile(fileOf(data), 'utf8').catch(() => ''), { interval: 5, timeout: 60_000 })
    .toMatch(/^example\.org-[0-9a-f]{8}\n$/)
    .then(() => readFile(fileOf(data), 'utf8'));
  await early.end('SIGKILL');
  venue = await Venue.start(NAMED, data);
  name = drawn.trim();
  expect(venue.stdout).toContain(`signatures for ${name})`);
  expect(await nameOf(venue)).toBe(name);
  expect((await stat(fileOf(data))).mode & 0o777).toBe(0o600);
  await venue.kill();
  await venue.startAgain();
  expect(await nameOf(venue)).toBe(name);
});

test('a copy of a venue keeps the network name until it is renamed', async () => {
  const copied = join(await temporaryData(), 'copy');
  const { data } = venue;
  await expect(renameVenue({ data, word: 'other.org' })).rejects.toThrow(/is in use by/);
  await venue.stop();
  await cp(data, copied, { recursive: true });
  const other = await new VenueRun(copied, [...FIXED_PRICE_FLAGS, '--service-network', 'other.org'])
    .ended;
  expect(other).toMatchObject({ code: 1 });
  const output = await rename('--data', copied, '--service-network', 'other.org');
  expect(output).toMatch(/^network name of .*: other\.org-[0-9a-f]{8} \(previously example\.org-/);
  const copy = await Venue.start([...FIXED_PRICE_FLAGS, '--no-bots'], copied);
  expect(output).toContain(await nameOf(copy));
  await copy.remove();
  expect(await readFile(fileOf(data), 'utf8')).toBe(`${name}\n`);
});

test('a public venue with a shared name logs a warning, and draws a separate name if one is configured', async () => {
  const shared = await Venue.start([...FIXED_PRICE_FLAGS, '--no-bots', '--host', '0.0.0.0']);
  try {
    expect(await nameOf(shared)).toBe('Oddlot-Testnet');
    expect(shared.stderr).toContain('other venues use the same network name');
    await shared.stop();
    await shared.startAgain(NAMED);
    expect(await nameOf(shared)).toMatch(/^example\.org-[0-9a-f]{8}$/);
  } finally {
    await shared.remove();
  }
});
