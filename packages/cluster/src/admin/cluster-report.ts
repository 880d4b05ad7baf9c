import { AGREED_KEYS, keysOf, openBucket } from '../buckets.ts';
import { openingOf } from '../agree-on-stream.ts';
import type { BlockStream } from '../block-stream.ts';
import { type AskedStream, confirmedLastSeq } from '../stream-facts.ts';
import type { KnownBlock } from '../followed-stream.ts';
import { retryUntilAnswered } from '../retry-until-answered.ts';
import type { ReplicaBoard } from '../replica-board.ts';
import type { AdminPlace } from './admin-place.ts';

type ReportedPlace = Pick<AdminPlace, 'cluster'> & {
  readonly board: Pick<ReplicaBoard, 'highest' | 'highestIn'>;
  readonly stream: AskedStream & Pick<BlockStream, 'at'>;
};

export async function clusterReport(place: AdminPlace): Promise<string> {
  return [
    await streamLine(place),
    ...replicaLines(place),
    agreementLine(place),
    ...(await leaseLines(place)),
  ].join('\n');
}

/**
 * Describes the end of the stream. The replicas' reports are read first, because blocks may be
 * written in the meantime.
 */
export async function streamLine({ board, cluster, stream }: ReportedPlace): Promise<string> {
  const { highest: reported } = board;
  const opening = await openingOf(stream, (reported?.height ?? 0) > 0);
  if (opening === undefined) return `stream of ${cluster}: empty${lostText(reported, 0)}`;
  const highest = board.highestIn(opening.era);
  const last = await confirmedLastSeq(stream, opening, highest?.height);
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
    return `; blocks lost: replica ${replica} has different blocks ${replacedFrom} to ${height}`;
  if (disputed !== undefined)
    return (
      `; blocks lost: replica ${replica} reports that another replica has different blocks ` +
      `between ${disputed.from} and ${disputed.to}`
    );
  return height > last ? `; blocks lost: replica ${replica} reported block ${height}` : '';
}

function replicaLines({ board }: AdminPlace): string[] {
  const present = new Set(board.present.map(({ replica }) => replica));
  const entries = board.entries.toSorted((a, b) => a.replica.localeCompare(b.replica));
  if (entries.length === 0) return ['replicas: none have reported'];
  return entries.map(({ hash, height, isWaiting, replica, rules, url, version }) => {
    const state = !present.has(replica)
      ? 'not running'
      : isWaiting === true
        ? 'waiting for its rules version'
        : 'running';
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

/** Compares the replicas at the newest block that any of them has attested. */
function agreementLine({ board }: AdminPlace): string {
  const attestedBlocks = board.present.flatMap(({ attested, replica }) =>
    attested === undefined ? [] : [{ replica, ...attested }],
  );
  const height = Math.max(0, ...attestedBlocks.map((each) => each.height));
  if (height === 0) return 'hashes: none compared yet';
  const alike = Map.groupBy(
    attestedBlocks.filter((each) => each.height === height),
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
    const entry = AGREED_KEYS.has(key) ? null : await retryUntilAnswered(() => kv.get(key));
    if (entry?.operation !== 'PUT') continue;
    lines.push(`lease ${key}: ${entry.json<{ readonly replica: string }>().replica}`);
  }
  return lines.length === 0 ? ['leases: none'] : lines.toSorted();
}
