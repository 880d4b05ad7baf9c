import { dump, RULES_VERSION } from '@oddlot/engine';
import { present } from '@oddlot/units';
import type { EarlierBlock } from '@oddlot/replica/block';
import { FollowedModels } from '@oddlot/history/indexer/followed-models';
import { RecentChanges } from '@oddlot/history/indexer/recent-changes';
import type { BlockRows } from '@oddlot/history/rows/block-rows';
import { createTextHasher, type TextHasher } from '@oddlot/replica/block-hash';
import type { EarlierEngine, EarlierReplica } from '@oddlot/replica/earlier-engine';
import { FollowingReplica } from '@oddlot/replica/following-replica';
import type { SnapshotPayload } from '@oddlot/replica/snapshot-codec';

/**
 * The entry point of the bundle that a later release uses to replay these rules
 * (`packages/replica/eras/README.md`): a replica with all the models in its snapshots, but without
 * files or a clock.
 */

/**
 * The faucet interval is a setting of the venue, which is not available to this replica. The code
 * that reads the grants drops expired ones.
 */
const GRANTS_RETENTION_MS = 7 * 86_400_000;

const NO_FILES = {
  log: { firstSeq: 1, lastSeq: 0, replay: async () => undefined },
  snapshots: { newestValid: async () => undefined },
  eras: { list: async () => [], read: async () => ({ why: 'there are no files' }) },
};

export async function createEngine(): Promise<EarlierEngine> {
  const hashText = await createTextHasher();
  return { rules: RULES_VERSION, open: (payload) => openReplica(hashText, payload) };
}

async function openReplica(
  hashText: TextHasher,
  payload: SnapshotPayload | undefined,
): Promise<EarlierReplica> {
  const replica = new FollowingReplica(NO_FILES, hashText);
  let rows: BlockRows | undefined;
  // Market texts are read only by subscribers, and a replica under earlier rules has none.
  const changes = new RecentChanges(() => undefined);
  const { history } = new FollowedModels(replica, {
    faucetEveryMs: GRANTS_RETENTION_MS,
    isReported: () => false,
    changes,
    onRows: (block) => {
      rows = block;
      changes.add(block);
    },
  });
  // History rows cannot be continued after a snapshot that does not contain their models.
  history.isActive = payload === undefined || payload.companions['history'] !== undefined;
  if (payload !== undefined) await replica.goTo(payload);
  return {
    apply(entry): EarlierBlock {
      const { hash, height, stateHash, timeMs } = present(replica.take(entry), 'a block');
      const { receipts } = present(rows, 'the rows of a block');
      return { head: { height, timeMs, hash, stateHash }, receipts, rows };
    },
    dump() {
      const { companions, head, versions } = replica.payload();
      return { head, state: dump(replica.state), companions, versions };
    },
  };
}
