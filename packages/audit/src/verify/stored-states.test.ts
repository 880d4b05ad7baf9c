import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { NETWORKS } from '@oddlot/protocol';
import { hash } from '@oddlot/units';
import { Snapshotter } from '@oddlot/replica/folder-follower';
import { FollowingReplica } from '@oddlot/replica/following-replica';
import { genesisCommands } from '@oddlot/replica/genesis-commands';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { expect, test } from 'vitest';
import { StoredStates } from './stored-states.ts';

const { serviceNetwork } = NETWORKS.testnet;
const OTHER = hash(`0x${'cd'.repeat(32)}`);

test('R-snapshots: a snapshot whose content differs from the attestation in the log is a finding', () =>
  inDirectory(async (directory) => {
    await mkdir(join(directory, 'snapshots'), { recursive: true });
    const snapshots = new SnapshotStore({ directory: join(directory, 'snapshots') });
    const eras = new EraStore({ directory: join(directory, 'eras') });
    const log = { firstSeq: 1, lastSeq: 0, replay: () => Promise.resolve() };
    const replica = await FollowingReplica.create({ log, snapshots, eras });
    const commands = [replica.firstEra(), ...genesisCommands(serviceNetwork)];
    replica.take({ seq: 1, timeMs: 5, commands: commands.map((command) => ({ command })) });
    const written = await new Snapshotter({
      replica,
      snapshots,
      everyBlocks: 1,
      everyCommands: 1,
      hasSpace: () => true,
      pause: () => Promise.resolve(),
      onFailed: (error) => expect.unreachable(String(error)),
    }).write();
    const states = await StoredStates.read(directory);
    const attested = (height: number, snapshot = written!.content) => {
      const command = { type: 'attest', height, hash: replica.head.hash, snapshot } as const;
      states.compareAttested({ seq: 2, timeMs: 6, commands: [{ command }] });
    };
    attested(1);
    attested(2, OTHER);
    expect(states.findings).toEqual([]);
    attested(1, OTHER);
    expect(states.findings).toMatchObject([
      {
        block: 1,
        what: `its content hash is ${written!.content}, but block 2 attests ${OTHER}`,
      },
    ]);
  }));
