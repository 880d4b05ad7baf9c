import { moveFile } from '@oddlot/host/durable';
import type { BlockHead } from '../block/applied-block.ts';
import type { SnapshotStore } from '../log/snapshot-store.ts';
import { judgeSnapshot } from './bases.ts';
import type { SnapshotJudge } from './snapshot-judges.ts';

type Judging = {
  readonly faultOf: SnapshotJudge;
  /** Brings a snapshot of a lower height into the store, where there is one. */
  readonly fetchBelow?: (height: number) => Promise<unknown>;
  readonly onRefused?: (height: number, why: string) => void;
};

/**
 * The head of the newest snapshot that may be used; undefined where there is none. Those that may not are set aside, since
 * another start must not find them under their names.
 */
export async function newestUsable(
  store: SnapshotStore,
  { faultOf, fetchBelow, onRefused }: Judging,
): Promise<BlockHead | undefined> {
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    await fetchBelow?.(below);
    const snapshot = await store.newestValid(below - 1);
    if (snapshot === undefined) return undefined;
    const { height } = snapshot;
    const judged = await judgeSnapshot(snapshot, faultOf);
    if (!('fault' in judged)) return judged.payload.head;
    await setAside(store, height);
    onRefused?.(height, judged.fault);
    below = height;
  }
}

async function setAside(store: SnapshotStore, height: number): Promise<void> {
  for (const { height: of, path } of await store.list()) {
    if (of === height) moveFile(path, `${path}.refused`);
  }
}
