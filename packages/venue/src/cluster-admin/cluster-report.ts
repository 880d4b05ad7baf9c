import { decodeOpening } from '../cluster/block-message.ts';
import { openBucket } from '../cluster/open-bucket.ts';
import { AGREED_KEYS } from '../cluster/agreements.ts';
import { keysOf } from '../cluster/keys-of.ts';
import type { KnownBlock } from '../cluster/known-block.ts';
import { patiently } from '../cluster/patiently.ts';
import { OPENING_PLACE, seqOf } from '../cluster/stream-places.ts';
import type { AdminPlace } from './admin-place.ts';

/** What there is of a cluster, in lines: the stream, its replicas, whether their hashes agree, and who holds what. */
export async function clusterReport(place: AdminPlace): Promise<string> {
  return [
    await streamLine(place),
    ...replicaLines(place),
    agreementLine(place),
    ...(await leaseLines(place)),
  ].join('\n');
}

async function streamLine({ board, cluster, stream }: AdminPlace): Promise<string> {
  const found = await patiently(() => stream.at(OPENING_PLACE));
  if (found === undefined) return `stream of ${cluster}: empty${lostText(board.highest, 0)}`;
  const opening = decodeOpening(found);
  const { lastPlace } = await patiently(() => stream.end());
  const last = seqOf(opening, lastPlace);
  const highest = board.highestIn(opening.era);
  const unfinished =
    opening.lastSeq !== undefined && last < opening.lastSeq
      ? `, incomplete: it is being written from a folder, up to block ${opening.lastSeq}`
      : '';
  return `stream of ${cluster}: blocks ${opening.firstSeq} to ${last} of ${opening.serviceNetwork}${unfinished}${lostText(highest, last)}`;
}

function lostText(highest: KnownBlock | undefined, last: number): string {
  if (highest === undefined) return '';
  const { disputed, height, replacedFrom, replica } = highest;
  if (replacedFrom !== undefined)
    return `; blocks lost: ${replica} has other blocks from ${replacedFrom} to ${height}`;
  if (disputed !== undefined)
    return (
      `; blocks lost: according to ${replica}, another replica has other blocks between ` +
      `${disputed.from} and ${disputed.to}`
    );
  return height > last ? `; blocks lost: ${replica} reported block ${height}` : '';
}

function replicaLines({ board }: AdminPlace): string[] {
  const present = new Set(board.present.map(({ replica }) => replica));
  const entries = board.entries.toSorted((a, b) => a.replica.localeCompare(b.replica));
  if (entries.length === 0) return ['replicas: none has reported'];
  return entries.map(({ hash, height, isWaiting, replica, rules, url, version }) => {
    const state = !present.has(replica)
      ? 'gone'
      : isWaiting === true
        ? 'waiting for its rules version'
        : 'there';
    const facts = [
      `block ${height}`,
      hash,
      `version ${version}`,
      `rules ${rules}`,
      url ?? 'no URL',
    ];
    return `replica ${replica}: ${state}, ${facts.join(', ')}`;
  });
}

/** By the newest block that the log has hashes of. */
function agreementLine({ board }: AdminPlace): string {
  const told = board.present.flatMap(({ attested, replica }) =>
    attested === undefined ? [] : [{ replica, ...attested }],
  );
  const height = Math.max(0, ...told.map((each) => each.height));
  if (height === 0) return 'hashes: none compared yet';
  const alike = Map.groupBy(
    told.filter((each) => each.height === height),
    ({ hash }) => hash,
  );
  if (alike.size === 1) return `hashes: agree at block ${height}`;
  const each = [...alike].map(
    ([hash, replicas]) => `${replicas.map(({ replica }) => replica).join(', ')} ${hash}`,
  );
  return `hashes: differ at block ${height}: ${each.join('; ')}`;
}

async function leaseLines({ cluster, config, stream }: AdminPlace): Promise<string[]> {
  const replicas = config.streamReplicas;
  const kv = await openBucket(stream.connection, { cluster, what: 'leases', replicas });
  const lines: string[] = [];
  for (const key of await keysOf(kv)) {
    const entry = AGREED_KEYS.has(key) ? null : await patiently(() => kv.get(key));
    if (entry?.operation !== 'PUT') continue;
    lines.push(`lease ${key}: ${entry.json<{ readonly replica: string }>().replica}`);
  }
  return lines.length === 0 ? ['leases: none'] : lines.toSorted();
}
