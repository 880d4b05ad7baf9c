import type { PackedDump } from '@oddlot/engine';
import { present } from '@oddlot/units';
import type { SnapshotStore } from '../../../packages/replica/src/log/checked-stores.ts';
import {
  decodeSnapshot,
  encodeSnapshot,
  type PackedPayload,
} from '../../../packages/replica/src/snapshot-codec.ts';

/**
 * Increases a balance in the newest snapshot, but keeps the checksums valid. Returns the snapshot's
 * height.
 */
export async function forgeSnapshot(store: SnapshotStore): Promise<number> {
  const { height, payload } = present(await store.newestValid(), 'a snapshot to forge');
  const read = decodeSnapshot(payload) as PackedPayload;
  const accounts = read.state.accounts.map((account, index, all) =>
    index === all.length - 1
      ? { ...account, perpBalance: String(BigInt(account.perpBalance) + 1_000_000n) }
      : account,
  );
  const state: PackedDump = { ...read.state, accounts };
  // Companion data is read lazily, so all of it is copied before the snapshot is overwritten.
  const companions = { ...read.companions };
  await store.write({ height, pieces: [...encodeSnapshot({ ...read, state, companions })] });
  return height;
}
