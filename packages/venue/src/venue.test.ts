import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDirectoryLocked } from '@oddlot/host/directory-lock';
import { createLogger } from '@oddlot/host/log';
import { listen, testTimeoutMs } from '@oddlot/testing/host';
import { bridgeView } from '@oddlot/engine';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { isRequest } from '@oddlot/replica/block';
import { type Held, type Lease, LocalLease, type Start, type Stop } from '@oddlot/replica/lease';
import { TestTerm } from '@oddlot/testing/venue/test-term';
import { openVenue, startVenue, type Venue } from './venue.ts';

const timeout = testTimeoutMs(20_000);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-venue-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Behaves like the lease of a single process, and records the names. */
class RecordingLease implements Lease {
  readonly steps: string[] = [];
  readonly #lease = new LocalLease();

  hold(name: string, start: Start, stop: Stop): Promise<Held> {
    const noted =
      (what: string, step: Start): Start =>
      async (term) => {
        await step(term);
        this.steps.push(`${what} ${name}`);
      };
    return this.#lease.hold(name, noted('started', start), async () =>
      noted('stopped', stop)(new TestTerm()),
    );
  }
}

test('all singleton tasks of a venue run under a lease, which is released on shutdown', async () => {
  const lease = new RecordingLease();
  const config = readConfig(['--data', folder, '--port', '0', '--ops-port', '0', '--no-web'], {});
  const log = createLogger({ level: 'silent' });
  const onFatal = (error: unknown): void => expect.unreachable(String(error));
  const venue = await startVenue(config, { log, onFatal, lease });
  const all = [
    'history writer',
    'oracle',
    'ticker',
    'settlement',
    'exhibition',
    'simulated traders',
  ];
  expect(lease.steps).toEqual([...all, 'relay'].map((name) => `started ${name}`));
  lease.steps.length = 0;
  await venue.stop();
  const ended = [
    'simulated traders',
    'exhibition',
    'oracle',
    'settlement',
    'ticker',
    'history writer',
  ];
  expect(lease.steps).toEqual(['relay', ...ended].map((name) => `stopped ${name}`));
});

/** Starts a venue with all optional parts: chain, prices, traders, and history. */
function start(flags: Readonly<Record<string, number | string>> = {}): Promise<Venue> {
  const ports = { '--port': 0, '--ops-port': 0, '--chain-port': 0, ...flags };
  const portFlags = Object.entries(ports).flatMap(([flag, value]) => [flag, String(value)]);
  const config = readConfig(['--data', folder, '--no-web', '--no-relay', ...portFlags], {});
  return startVenue(config, {
    log: createLogger({ level: 'silent' }),
    onFatal: (error) => expect.unreachable(String(error)),
  });
}

test('the port for Hyperliquid clients is served until the venue stops', { timeout }, async () => {
  const venue = await start({ '--hyperliquid': 0 });
  const url = venue.hyperliquidUrl ?? '';
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const refused = await fetch(`${url}/unknown`, { method: 'POST', body: '{}' });
  expect(refused.ok).toBe(false);
  expect(await refused.json()).toMatchObject({
    code: 404,
    msg: expect.stringMatching(/^Not found/),
  });
  await venue.stop();
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('a venue with its own network name refuses to serve Hyperliquid clients', async () => {
  const own = start({ '--hyperliquid': 0, '--service-network': 'example.org' });
  await expect(own).rejects.toThrow(
    /^hyperliquid: not allowed with the network name example\.org-/,
  );
  expect(isDirectoryLocked(folder)).toBe(false);
});

function running(): readonly string[] {
  const kinds = ['MessagePort', 'TCPServerWrap', 'PipeWrap', 'Timeout', 'Worker'];
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind));
}

/**
 * Returns the resources added since. Resources of the test runner may have been released in the
 * meantime.
 */
function runningSince(before: readonly string[]): readonly string[] {
  const rest = [...before];
  return running().filter((kind) => {
    const at = rest.indexOf(kind);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

test.each([
  ['the public port', '--port'],
  ["the operator's port", '--ops-port'],
  ['the port of the local chain', '--chain-port'],
])('a start that finds %s in use reports it before it creates anything', async (_, flag) => {
  const taken = createServer();
  const port = await listen(taken, 0, '127.0.0.1');
  const before = running();
  await expect(start({ [flag]: port })).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is already in use. Choose another one with ${flag}.`,
  );
  expect(await readdir(folder)).toEqual([]);
  await expect.poll(() => runningSince(before)).toEqual([]);
  const venue = await start();
  await venue.stop();
  await expect.poll(() => runningSince(before)).toEqual([]);
  taken.close();
});

test('if the log cannot be opened on startup, neither the history nor the chain is left running', async () => {
  const before = running();
  await expect(start({ '--fault': 'nonsense' })).rejects.toThrow('Unknown fault: nonsense');
  expect(isDirectoryLocked(folder)).toBe(false);
  await expect.poll(() => runningSince(before)).toEqual([]);
});

test('R-terms: all commands from lease holders carry a term, and later terms begin after a restart', async () => {
  const config = readConfig(['--data', folder, '--port', '0', '--ops-port', '0', '--no-web'], {});
  const log = createLogger({ level: 'silent' });
  const onFatal = (error: unknown): void => expect.unreachable(String(error));
  const begun: Record<string, number>[] = [];
  for (const least of [1, 2]) {
    const { replica, stop } = await openVenue(config, { log, onFatal });
    const withoutTerm = new Set<string>();
    replica.onBlock(({ commands }) => {
      for (const { command } of commands) {
        // Every replica attests blocks itself, without a lease.
        if (isRequest(command) || command.type === 'attest') continue;
        if (command.term === undefined) withoutTerm.add(command.type);
      }
    });
    const termsNow = () =>
      Object.fromEntries([...replica.state.terms].map(([lease, { number }]) => [lease, number]));
    const isReserved = (): boolean => bridgeView(replica.state)?.reserves !== undefined;
    await expect.poll(() => isReserved() && termsNow()['oracle'], { timeout }).toBe(least);
    begun.push(termsNow());
    expect([...withoutTerm]).toEqual([]);
    await stop();
  }
  expect(begun[0]).toEqual({ oracle: 1, settlement: 1, exhibition: 1, 'simulated traders': 1 });
});
