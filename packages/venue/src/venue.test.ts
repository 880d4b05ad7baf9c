import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDirectoryLocked } from '@oddlot/host/directory-lock';
import { createLogger } from '@oddlot/host/log';
import { listen, patienceMs } from '@oddlot/testing/host';
import { bridgeView } from '@oddlot/engine';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { isRequest } from '@oddlot/replica/block';
import { type Held, type Lease, LocalLease, type Start, type Stop } from '@oddlot/replica/lease';
import { TermInHand } from '@oddlot/testing/venue/term-in-hand';
import { openVenue, startVenue, type Venue } from './venue.ts';

/** A whole venue on a temporary folder. */

const timeout = patienceMs(20_000);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-venue-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Holds like a process that is alone, and remembers what for. */
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
      noted('stopped', stop)(new TermInHand()),
    );
  }
}

test('whatever a venue has one of runs by a lease, and the stop lets go of all of them', async () => {
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

/** With all that a venue has by itself: chain, prices, traders, history. */
function start(flags: Readonly<Record<string, number | string>> = {}): Promise<Venue> {
  const ports = { '--port': 0, '--ops-port': 0, '--chain-port': 0, ...flags };
  const told = Object.entries(ports).flatMap(([flag, value]) => [flag, String(value)]);
  const config = readConfig(['--data', folder, '--no-web', '--no-relay', ...told], {});
  return startVenue(config, {
    log: createLogger({ level: 'silent' }),
    onFatal: (error) => expect.unreachable(String(error)),
  });
}

/** What keeps a process from ending, or does something in it. */
function running(): readonly string[] {
  const kinds = ['MessagePort', 'TCPServerWrap', 'PipeWrap', 'Timeout', 'Worker'];
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind));
}

/** What runs that did not before; the runner's own may have ended meanwhile. */
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
])('a start that finds %s taken says so before it creates anything', async (_, flag) => {
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

test('a log that can not be opened leaves neither the history nor the chain running beside it', async () => {
  const before = running();
  await expect(start({ '--fault': 'nonsense' })).rejects.toThrow('Unknown fault: nonsense');
  expect(isDirectoryLocked(folder)).toBe(false);
  await expect.poll(() => runningSince(before)).toEqual([]);
});

test('R-terms: all that the holders of leases propose carries a term, and a restart begins later terms', async () => {
  const config = readConfig(['--data', folder, '--port', '0', '--ops-port', '0', '--no-web'], {});
  const log = createLogger({ level: 'silent' });
  const onFatal = (error: unknown): void => expect.unreachable(String(error));
  const begun: Record<string, number>[] = [];
  for (const least of [1, 2]) {
    const { replica, stop } = await openVenue(config, { log, onFatal });
    const withoutTerm = new Set<string>();
    replica.onBlock(({ commands }) => {
      for (const { command } of commands) {
        // Each replica attests for itself.
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
