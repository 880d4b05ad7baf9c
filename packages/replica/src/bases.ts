import type { OpenEraCommand } from '@oddlot/engine';
import type { Hash } from '@oddlot/units';
import type { BlockHead, LogEntry } from './block.ts';
import type { EraStore, SnapshotStore } from './log/checked-stores.ts';
import type { Log } from './log/log.ts';
import type { TextHasher } from './block-hash.ts';
import { ContentHasher, decodeSnapshot, type SnapshotPayload } from './snapshot-codec.ts';
import type { SnapshotJudge } from './attestations.ts';
import { moveFile } from '@oddlot/host/durable';

export type Base = {
  readonly payload: SnapshotPayload;
  readonly what: string;
  /** The hash of a snapshot's content; undefined for the start of an era. */
  readonly content?: Hash | undefined;
};

type BaseSources = {
  readonly log: Pick<Log, 'firstSeq' | 'lastSeq' | 'replay'>;
  readonly snapshots: Pick<SnapshotStore, 'newestValid'>;
  readonly eras: Pick<EraStore, 'list' | 'read'>;
  readonly hashText: TextHasher;
  readonly faultOf: SnapshotJudge;
  readonly onPassedOver: (what: string, why: string) => void;
};

/**
 * Yields snapshots and starts of eras up to a height, newest first. Their checksums are verified;
 * the caller must check whether this program can restore them.
 */
export async function* basesUpTo(sources: BaseSources, maxHeight: number): AsyncGenerator<Base> {
  const { snapshots } = sources;
  const eras = (await sources.eras.list()).filter(({ height }) => height <= maxHeight);
  let snapshot = await snapshots.newestValid(maxHeight);
  while (snapshot !== undefined || eras.length > 0) {
    const era = eras[0];
    // At equal heights, the start of the era comes first, because it does not need the engine of
    // the previous era.
    if (era !== undefined && era.height >= (snapshot?.height ?? 0)) {
      eras.shift();
      const payload = await startOf(sources, era);
      if (payload !== undefined)
        yield { payload, what: `the start of the rules version at ${era.height}` };
    } else if (snapshot !== undefined) {
      const { height } = snapshot;
      const what = `the snapshot of block ${height}`;
      const judged = await judgeSnapshot(snapshot, sources.faultOf);
      if ('fault' in judged) sources.onPassedOver(what, judged.fault);
      else yield { ...judged, what };
      snapshot = await snapshots.newestValid(height - 1);
    }
  }
}

type ReadSnapshot = NonNullable<Awaited<ReturnType<SnapshotStore['newestValid']>>>;

async function judgeSnapshot(
  { height, payload: bytes }: ReadSnapshot,
  faultOf: SnapshotJudge,
): Promise<Pick<Base, 'content' | 'payload'> | { readonly fault: string }> {
  const payload = read(decodeSnapshot, bytes);
  if (payload === undefined) return { fault: 'it cannot be read' };
  const content = (await ContentHasher.create()).of(payload, bytes);
  const claim = { height, block: payload.head.height, rules: payload.rules, content };
  const fault = await faultOf(claim);
  return fault === undefined ? { content, payload } : { fault };
}

export function openingOf(entry: LogEntry | undefined): OpenEraCommand | undefined {
  const command = entry?.commands[0]?.command;
  return command?.type === 'openEra' ? command : undefined;
}

export async function entryAt(log: BaseSources['log'], seq: number): Promise<LogEntry | undefined> {
  let found: LogEntry | undefined;
  if (seq < log.firstSeq || seq > log.lastSeq) return undefined;
  await log.replay(seq, (entry) => (found = entry), { untilSeq: seq });
  return found;
}

/**
 * Returns undefined if the era never began: a crash between two writes can leave the file of an era
 * that the log never opened.
 */
async function startOf(
  { eras, hashText, log, onPassedOver }: BaseSources,
  file: Awaited<ReturnType<EraStore['list']>>[number],
): Promise<SnapshotPayload | undefined> {
  const opening = openingOf(await entryAt(log, file.height + 1));
  if (opening === undefined) return undefined;
  const found = await eras.read(file);
  const payload = 'payload' in found ? read(parseText, found.payload) : undefined;
  if (payload !== undefined && hashText(JSON.stringify(payload.state)) === opening.stateHash) {
    return payload;
  }
  onPassedOver(
    file.path,
    'why' in found ? found.why : 'it differs from the state recorded in the log',
  );
  return undefined;
}

function read(decode: (bytes: Buffer) => unknown, bytes: Buffer): SnapshotPayload | undefined {
  try {
    const payload = decode(bytes);
    return isPayload(payload) ? payload : undefined;
  } catch {
    // The checksum is correct but the content cannot be read, so another program wrote the file.
    return undefined;
  }
}

function isPayload(payload: unknown): payload is SnapshotPayload {
  if (typeof payload !== 'object' || payload === null) return false;
  const { head, state } = payload as { readonly head?: unknown; readonly state?: unknown };
  return typeof head === 'object' && head !== null && state !== undefined;
}

function parseText(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString());
}

type Judging = {
  readonly faultOf: SnapshotJudge;
  /** Fetches a snapshot below a height into the store, if there is a source of snapshots. */
  readonly fetchBelow?: (height: number) => Promise<unknown>;
  readonly onRefused?: (height: number, why: string) => void;
};

/**
 * Returns the head of the newest usable snapshot, or undefined if there is none. Unusable snapshots
 * are moved out of the way, so that they are not found on the next startup.
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
