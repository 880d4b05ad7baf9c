import { join } from 'node:path';
import { decodeOpening } from '../cluster/block-message.ts';
import { ClusterLog } from '../cluster/cluster-log.ts';
import { patiently } from '../cluster/patiently.ts';
import { ProposalOrder } from '../cluster/proposal-order.ts';
import { SnapshotExchange } from '../cluster/snapshot-exchange.ts';
import { OPENING_PLACE, seqOf } from '../cluster/stream-places.ts';
import { FileJournal } from '../log/file-journal.ts';
import { SnapshotStore } from '../log/checked-stores.ts';
import { attestedIn, unlessAttested, unlessContradicted } from '../replica/attestations.ts';
import { newestUsable } from '../replica/bases.ts';
import { adoptServiceName, lockData } from '../log/data-folder.ts';
import { AdminRefusedError, type AdminPlace, nowMs } from './admin-place.ts';
import { assertNobodyThere } from './assert-nobody-there.ts';
import { checkCopy, type Progress } from './check-copy.ts';

/**
 * Makes a folder of the stream of a cluster that a venue of one machine goes on with. What a former one has written stays,
 * and it goes on behind it.
 */
export async function exportFolder(place: AdminPlace, onProgress: Progress): Promise<string> {
  const { cluster, config, stream } = place;
  const { data } = config;
  const found = await patiently(() => stream.at(OPENING_PLACE));
  if (found === undefined) throw new AdminRefusedError(`The stream of ${cluster} is empty`);
  const opening = decodeOpening(found);
  if (opening.firstSeq > 1) {
    throw new AdminRefusedError(
      `The stream of ${cluster} begins with block ${opening.firstSeq}. Copy the data ` +
        'folder of a stopped replica instead; a single-process venue can use it too',
    );
  }
  assertNobodyThere(place, 'later blocks would be missing from the folder');
  const lock = await lockData(data);
  try {
    const journal = await FileJournal.open({
      directory: join(data, 'journal'),
      clock: { nowMs },
      onFatal: (error) => {
        throw error;
      },
    });
    const { serviceNetwork } = opening;
    adoptServiceName(data, serviceNetwork);
    await fetchAll(place, { journal, serviceNetwork }, onProgress);
    return await finish(place, onProgress);
  } finally {
    lock.release();
  }
}

async function fetchAll(
  { config, connect, stream }: AdminPlace,
  copy: { readonly journal: FileJournal; readonly serviceNetwork: string },
  onProgress: Progress,
): Promise<void> {
  const { journal, serviceNetwork } = copy;
  const order = new ProposalOrder();
  const { lastPlace } = await patiently(() => stream.end());
  let trouble: unknown;
  const log = new ClusterLog({
    // It closes what it was given.
    stream: await connect(),
    copy: journal,
    order,
    clock: { nowMs },
    serviceNetwork,
    readsAsItIs: true,
    onFatal: (error) => (trouble ??= error),
    onLost: (error) => (trouble ??= error),
  });
  const last = seqOf({ ...copy, firstSeq: 1, era: '' }, lastPlace);
  try {
    await log.follow(1, ({ proposal, seq, timeMs }) => {
      if (proposal !== undefined) order.take(proposal, timeMs);
      onProgress('read', seq, last);
    });
  } finally {
    await log.close();
  }
  if (trouble === undefined && journal.lastSeq >= last) return;
  const why = trouble instanceof Error ? trouble.message : `it ends at block ${journal.lastSeq}`;
  throw new AdminRefusedError(`${config.data}: ${why}`, { cause: trouble });
}

/** The newest snapshot spares the first start a replay; whether it fits is found out here. */
async function finish(
  { cluster, config, stream }: AdminPlace,
  onProgress: Progress,
): Promise<string> {
  const { data, streamReplicas: replicas } = config;
  const exchange = await SnapshotExchange.open(stream.connection, { cluster, replicas });
  const directory = join(data, 'snapshots');
  const fetched = await exchange.fetchNewest(directory);
  const journal = await FileJournal.open({ directory: join(data, 'journal'), clock: { nowMs } });
  try {
    const ofOthers = unlessAttested((height) => attestedIn(journal, height), undefined);
    const own = unlessContradicted(journal);
    await newestUsable(new SnapshotStore({ directory }), {
      faultOf: (claim) => (claim.height === fetched?.height ? ofOthers(claim) : own(claim)),
    });
    const { hash, height } = await checkCopy(data, journal, onProgress);
    return (
      `exported the stream of ${cluster} to ${data}: ${height} blocks; the hash of the ` +
      `last one is ${hash}`
    );
  } finally {
    await journal.close();
  }
}
