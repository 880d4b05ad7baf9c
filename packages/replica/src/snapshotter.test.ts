import { createState, dumpPacked } from '@oddlot/engine';
import { inDirectory } from '@oddlot/testing/host';
import { hash, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { LoggedCommand } from './block.ts';
import { SnapshotStore } from './log/checked-stores.ts';
import { GENESIS_HEAD } from './block-hash.ts';
import { Snapshotter } from './folder-follower.ts';

const HASH = hash(`0x${'ab'.repeat(32)}`);
const ATTESTED: LoggedCommand = {
  command: { type: 'attest', height: 1, hash: HASH, snapshot: HASH },
};
const OTHER: LoggedCommand = { command: { type: 'attest', height: 1, hash: HASH } };

test.each([
  ['blocks', { everyBlocks: 1, everyCommands: 1_000 }],
  ['commands', { everyBlocks: 1_000, everyCommands: 1 }],
])('the attestation of a snapshot does not count towards the next snapshot by %s', (_, every) =>
  inDirectory(async (directory) => {
    let height = 0;
    const snapshotter = new Snapshotter({
      replica: {
        get head() {
          return { ...GENESIS_HEAD, height, timeMs: timeMs(height) };
        },
        isEarlier: false,
        payload: () => ({
          rules: 4,
          head: { ...GENESIS_HEAD, height },
          heads: [],
          state: dumpPacked(createState()),
          companions: {},
        }),
      },
      snapshots: new SnapshotStore({ directory }),
      ...every,
      hasSpace: () => true,
      pause: () => Promise.resolve(),
      onFailed: (error) => expect.unreachable(String(error)),
    });
    const take = (...commands: readonly LoggedCommand[]): boolean => {
      height += 1;
      snapshotter.count({ seq: height, timeMs: height, commands });
      return snapshotter.isDue;
    };
    expect(take(OTHER)).toBe(true);
    expect(await snapshotter.write()).toMatchObject({ height: 1 });
    expect(take(ATTESTED)).toBe(false);
    expect(take(OTHER, ATTESTED)).toBe(true);
    expect(await snapshotter.write()).toMatchObject({ height: 3 });
    expect(take(ATTESTED)).toBe(false);
  }),
);
