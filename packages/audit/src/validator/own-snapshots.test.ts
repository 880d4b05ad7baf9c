import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BookDamagedError } from '@oddlot/custody/validator';
import { inDirectory } from '@oddlot/testing/host';
import { NETWORKS } from '@oddlot/protocol';
import { hash } from '@oddlot/units';
import type { LogEntry } from '@oddlot/replica/block';
import { Snapshotter } from '@oddlot/replica/folder-follower';
import { FollowingReplica } from '@oddlot/replica/following-replica';
import { genesisCommands } from '@oddlot/replica/genesis-commands';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { expect, test } from 'vitest';
import { AuditedReplica } from '../replica/audited-replica.ts';
import { OwnSnapshots } from './own-snapshots.ts';

const NOW = 1_800_000_000_000;
const { serviceNetwork } = NETWORKS.testnet;
const POLICY = { serviceNetwork, venuePrices: true, testMoney: true, sampleOneIn: 1 };

/**
 * Creates a validator's folder with a snapshot of block 1 that a replica of its venue could have
 * written.
 */
async function withSnapshot(directory: string) {
  const snapshots = new SnapshotStore({ directory: join(directory, 'snapshots') });
  await mkdir(join(directory, 'snapshots'), { recursive: true });
  const eras = new EraStore({ directory: join(directory, 'eras') });
  const replay = async (_: number, apply: (entry: LogEntry) => unknown) => void apply(first);
  const log = { firstSeq: 1, lastSeq: 10, replay };
  const places = { log, snapshots, eras };
  const replica = await FollowingReplica.create(places);
  const commands = [replica.firstEra(), ...genesisCommands(serviceNetwork)];
  const first = { seq: 1, timeMs: NOW, commands: commands.map((command) => ({ command })) };
  replica.take(first);
  const written = await new Snapshotter({
    replica,
    snapshots,
    everyBlocks: 1,
    everyCommands: 1,
    hasSpace: () => true,
    pause: () => Promise.resolve(),
    onFailed: (error) => expect.unreachable(String(error)),
  }).write();
  const file = join(directory, 'own-snapshots');
  const passedOver: string[] = [];
  const opened = async (accepted?: string) => {
    const own = new OwnSnapshots({ file, accepted, hasSigned: false });
    const audited = await AuditedReplica.open({
      ...places,
      policy: POLICY,
      now: () => NOW,
      draw: () => 0,
      faultOf: own.faultOf,
      onPassedOver: (what, why) => passedOver.push(`${what}: ${why}`),
    });
    return audited.replica.head.height;
  };
  return { content: String(written?.content), file, opened, passedOver };
}

test('R-snapshots: a validator does not start from a snapshot that it did not write', () =>
  inDirectory(async (directory) => {
    const { content, opened, passedOver } = await withSnapshot(directory);
    expect(await opened()).toBe(0);
    expect(passedOver).toEqual([
      `the snapshot of block 1: not written by this validator; to start with it, pass --accept-snapshot ${content}`,
    ]);
    expect(await opened(`0x${'ee'.repeat(32)}`)).toBe(0);
    expect(await opened(content)).toBe(1);
  }));

test('R-snapshots: a validator starts from a snapshot that it recorded as its own', () =>
  inDirectory(async (directory) => {
    const { content, file, opened } = await withSnapshot(directory);
    const own = new OwnSnapshots({ file, accepted: undefined, hasSigned: false });
    own.add(content);
    expect(await opened()).toBe(1);
    await writeFile(file, 'not a hash\n');
    await expect(opened()).rejects.toThrow(BookDamagedError);
  }));

test("the record of a validator's own snapshots keeps the newest ones, and accepts those from an earlier release once", () =>
  inDirectory(async (directory) => {
    const file = join(directory, 'own-snapshots');
    const contents = Array.from({ length: 9 }, (_, at) => hash(`0x${`0${at}`.repeat(32)}`));
    const claim = (content: (typeof contents)[number], rules: number) => {
      return { height: 5, block: 5, rules, content };
    };
    const [first, second] = contents as [(typeof contents)[number], (typeof contents)[number]];
    const signed = { file, accepted: undefined, hasSigned: true };
    const before = new OwnSnapshots(signed);
    expect(await before.faultOf(claim(first, 3))).toBeUndefined();
    expect(await before.faultOf(claim(first, 4))).toMatch(/not written by this validator/);
    expect(
      await new OwnSnapshots({ ...signed, hasSigned: false }).faultOf(claim(first, 3)),
    ).toMatch(/not written by this validator/);
    for (const content of contents) before.add(content);
    const after = new OwnSnapshots(signed);
    expect(await after.faultOf(claim(first, 3))).toMatch(/not written by this validator/);
    expect(await after.faultOf(claim(second, 4))).toBeUndefined();
    expect(await after.faultOf({ ...claim(second, 4), block: 6 })).toBe('it contains block 6');
  }));
