import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '@oddlot/engine';
import { address } from '@oddlot/units';
import { afterEach, beforeEach } from 'vitest';
import {
  type IndexedOptions,
  type IndexedVenue,
  openIndexed,
  temporaryFolder,
} from './indexed-venue.ts';

/**
 * Venues with a history indexer. Their history is a single ledger of deposits of 1, 2, 3 …
 * micro-USDC.
 */

export const alice = address(`0x${'a1'.repeat(20)}`);
export const bob = address(`0x${'b2'.repeat(20)}`);
export const AMOUNTS = { user: alice, accountTypes: ['perp'], limit: 10_000 } as const;

/** The time to wait for the indexer's thread on a busy machine, in milliseconds. */
export const WAIT = { timeout: 60_000 } as const;

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

export const credit = (amountMicroUsdc: number, account = alice): Command => ({
  type: 'creditFaucet',
  account,
  subAccount: 'perp',
  amountMicroUsdc,
});

export const microOf = (delta: object): number =>
  Math.round(Number((delta as { amount?: string }).amount) * 1e6);

export async function amounts({ indexer }: IndexedVenue): Promise<number[]> {
  const { answer } = await indexer.ask('ledger', { ...AMOUNTS, order: 'oldestFirst' });
  return answer.rows.map(({ delta }) => microOf(delta));
}

type IndexedVenues = {
  readonly folder: string;
  readonly start: (options?: Partial<IndexedOptions>) => Promise<IndexedVenue>;
  readonly stop: (venue: IndexedVenue, how?: 'stop' | 'crash') => Promise<void>;
  /** Deletes the stored history from a folder that no venue has open. */
  readonly loseStore: () => Promise<void>;
};

/** Starts venues and stops each of them after its test. */
export function indexedVenues(): IndexedVenues {
  let folder = '';
  let remove: () => Promise<void>;
  const open: IndexedVenue[] = [];
  beforeEach(async () => {
    ({ folder, remove } = await temporaryFolder());
  });
  afterEach(async () => {
    for (const venue of open.splice(0)) await venue.crash();
    await remove();
  });
  return {
    get folder() {
      return folder;
    },
    async start(options = {}) {
      const venue = await openIndexed({ folder, ...options });
      open.push(venue);
      return venue;
    },
    async stop(venue, how = 'stop') {
      open.splice(open.indexOf(venue), 1);
      await venue[how]();
    },
    async loseStore() {
      for (const name of await readdir(folder)) {
        if (name.startsWith('history.sqlite')) await rm(join(folder, name));
      }
    },
  };
}
