import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import type { Command } from '@oddlot/engine';
import { NETWORKS } from '@oddlot/protocol';
import type { LogEntry } from '@oddlot/replica/block';
import { FollowingReplica } from '@oddlot/replica/following-replica';
import { genesisCommands } from '@oddlot/replica/genesis-commands';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { hash } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { Policy } from '../checks/command-checker.ts';
import { LogFollower } from '../follow/log-follower.ts';
import { AuditedReplica } from './audited-replica.ts';

const NOW = 1_800_000_000_000;
const { serviceNetwork } = NETWORKS.testnet;
const POLICY: Policy = { serviceNetwork, venuePrices: true, testMoney: true, sampleOneIn: 1 };
const OTHER = hash(`0x${'cd'.repeat(32)}`);

function placesIn(directory: string) {
  return {
    log: { firstSeq: 1, lastSeq: 0, replay: () => Promise.resolve() },
    snapshots: new SnapshotStore({ directory: join(directory, 'snapshots') }),
    eras: new EraStore({ directory: join(directory, 'eras') }),
  };
}

const block = (seq: number, commands: readonly Command[] = [], timeMs = NOW): LogEntry => ({
  seq,
  timeMs,
  commands: commands.map((command) => ({ command })),
});

async function begun(directory: string) {
  const plain = await FollowingReplica.create(placesIn(directory));
  const first = block(1, [plain.firstEra(), ...genesisCommands(serviceNetwork)]);
  plain.take(first);
  const open = (policy: Partial<Policy> = {}, more: object = {}) =>
    AuditedReplica.open({
      ...placesIn(directory),
      policy: { ...POLICY, ...policy },
      now: () => NOW,
      draw: () => 0,
      ...more,
    });
  return { first, hash: plain.head.hash, open };
}

const why = (taken: Promise<unknown>): Promise<string> =>
  taken.then(
    () => 'taken',
    (error: unknown) => (error as Error).message,
  );

test("an audited replica checks blocks' order, times and known hashes", async () => {
  await inDirectory(async (directory) => {
    const { first, hash: own, open } = await begun(directory);
    const replica = await open({}, { checkpoints: [{ height: 1, hash: own, by: 'genesis' }] });
    expect(await why(replica.take(block(2)))).toBe('block 2: expected the block after 0');
    expect(await why(replica.take(first))).toBe('taken');
    const tooEarly = 'block 2: its time is earlier than that of the previous block';
    expect(await why(replica.take(block(2, [], NOW - 1)))).toBe(tooEarly);
    const ahead = 'block 2: its time is 60001 ms ahead of the local clock';
    expect(await why(replica.take(block(2, [], NOW + 60_001)))).toBe(ahead);
    const attest = { type: 'attest', height: 1, hash: own } as const;
    expect(await why(replica.take(block(2, [{ ...attest, hash: OTHER }])))).toMatch(
      /^block 2: Block 1 has the hash 0x.* here, but the log records 0xcdcd/,
    );
    expect(await why(replica.take(block(2, [attest])))).toBe('taken');
    replica.compare({ height: 1, hash: own });
    expect(() => replica.compare({ height: 1, hash: OTHER })).toThrow(/the venue reports 0xcdcd/);
    const other = await open({}, { checkpoints: [{ height: 1, hash: OTHER, by: 'genesis' }] });
    expect(await why(other.take(first))).toMatch(/expected 0xcdcd.* \(genesis\)/);
  });
});

test('blocks vouched for by an operator are applied without derivation, and must have the given hash', async () => {
  await inDirectory(async (directory) => {
    const { first, open } = await begun(directory);
    const unsigned = block(2, [{ type: 'setOperators', role: 'admins' }]);
    const strict = await open();
    await strict.take(first);
    expect(await why(strict.take(unsigned))).toMatch(
      /command 0: setOperators has no operator signature/,
    );
    const plain = await FollowingReplica.create(placesIn(directory));
    for (const entry of [first, unsigned]) plain.take(entry);
    const vouched = { height: 2, hash: String(plain.head.hash) };
    const trusting = await open({ vouched });
    for (const entry of [first, unsigned]) expect(await why(trusting.take(entry))).toBe('taken');
    const again = { ...unsigned, seq: 3 };
    expect(await why(trusting.take(again))).toMatch(/setOperators has no operator signature/);
    const wrong = await open({ vouched: { height: 2, hash: OTHER } });
    await wrong.take(first);
    expect(await why(wrong.take(unsigned))).toMatch(/expected 0xcdcd.* \(vouchedBlock\)/);
  });
});

test('a follower continues where possible, reports why it is waiting, and stops at a finding', async () => {
  await inDirectory(async (directory) => {
    const { first, hash: own, open } = await begun(directory);
    const replica = await open();
    let page: () => Promise<{
      entries: LogEntry[];
      head: { height: number; hash: typeof own };
    }> = async () => {
      throw new Error('HTTP 500');
    };
    const follower = new LogFollower({ source: { page: () => page() }, replica, everyMs: 1 });
    follower.start();
    await expect.poll(() => follower.waits).toBe('the log cannot be read: HTTP 500');
    const head = { height: 1, hash: own };
    page = async () => ({ entries: replica.replica.head.height === 0 ? [first] : [], head });
    await expect.poll(() => follower.waits, { timeout: 5_000 }).toBeUndefined();
    expect(replica.replica.head.height).toBe(1);
    page = async () => ({ entries: [], head: { height: 0, hash: OTHER } });
    await expect
      .poll(() => follower.waits)
      .toBe("the venue's log ends at block 0, but this validator has already read block 1");
    page = async () => ({ entries: [], head: { height: 1, hash: OTHER } });
    await expect.poll(() => follower.finding?.what, { timeout: 5_000 }).toMatch(/its hash is 0x/);
    await follower.progress(60_000);
    await follower.stop();
  });
});
