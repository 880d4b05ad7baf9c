import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@oddlot/host/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import type { Held, Lease, Start, Stop } from './lease/lease.ts';
import { LocalLease } from './lease/local-lease.ts';
import { startVenue } from './venue.ts';

/** A whole venue on a temporary folder. */

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
      noted('stopped', stop)({ number: 0, isOver: () => true }),
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
