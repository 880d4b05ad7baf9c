import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { LogEntry } from '../../packages/replica/src/block.ts';
import { ProposalOrder } from '../../packages/replica/src/proposal-order.ts';
import { EraStore, SnapshotStore } from '../../packages/replica/src/log/checked-stores.ts';
import { FileJournal } from '../../packages/replica/src/log/file-journal.ts';
import { FollowingReplica } from '../../packages/replica/src/following-replica.ts';
import { removeTemporaryData } from '../support/venue-process.ts';
import { type EarlierFolder, PREVIOUS } from './era-folders.ts';

/**
 * Goal: a replica that is waiting for its rules version, or has just started it, accepts the same
 * blocks from a stream as components that have no state (R-era). Method: an earlier release's log
 * is replayed, and its blocks are named like those of proposers.
 */

afterAll(removeTemporaryData);

const LOGS: readonly [string, EarlierFolder][] = [['rules 3', PREVIOUS]];

/**
 * Opens a replica that follows a folder and the order of its proposals. It has not read any blocks
 * yet.
 */
async function following(earlier: EarlierFolder) {
  const folder = await earlier.unpacked();
  const clock = { nowMs: () => earlier.meta.timeMs };
  const log = await FileJournal.open({ directory: join(folder, 'journal'), clock });
  const snapshots = new SnapshotStore({ directory: join(folder, 'snapshots') });
  const eras = new EraStore({ directory: join(folder, 'eras') });
  const replica = await FollowingReplica.create({ log, snapshots, eras });
  const order = new ProposalOrder();
  replica.attach(order);
  const entries: LogEntry[] = [];
  await log.replay(1, (entry) => entries.push({ ...entry, proposal: `someone:${entry.seq}` }));
  const { seq, timeMs } = entries.at(-1)!;
  /** Returns how the proposal order judges the block after the last one. */
  const verdict = () => order.copy().take(`someone:${seq + 1}`, timeMs);
  return { entries, order, replica, verdict, [Symbol.asyncDispose]: () => log.close() };
}

test.each(LOGS)(
  'R-era: a replica that reads blocks under %s from the first block accepts the next block',
  async (_, earlier) => {
    await using at = await following(earlier);
    await at.replica.goToBeginning();
    for (const entry of at.entries) at.replica.take(entry);
    expect(at.replica.isEarlier).toBe(true);
    expect(at.verdict()).toBe('next');
    at.replica.openEra();
    expect(at.replica.isEarlier).toBe(false);
    expect(at.verdict()).toBe('next');
  },
);

test.each(LOGS)(
  'R-era: a replica that reads blocks under %s after a snapshot accepts the next block',
  async (_, earlier) => {
    await using at = await following(earlier);
    const base = (await at.replica.bases(Infinity).next()).value!;
    const { companions, head } = base.payload;
    const proposals = [['someone', head.height, head.timeMs]];
    await at.replica.goTo({ ...base.payload, companions: { ...companions, proposals } });
    expect(at.replica.isEarlier).toBe(true);
    for (const entry of at.entries) if (entry.seq > head.height) at.replica.take(entry);
    expect(at.verdict()).toBe('next');
    at.replica.openEra();
    expect(at.verdict()).toBe('next');
  },
);
