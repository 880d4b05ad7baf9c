import type { Hash } from '@oddlot/units';
import type { Log } from '../log/log.ts';
import { attestedIn } from './attested-in.ts';

/** What a snapshot claims to be. */
type SnapshotClaim = {
  /** By its file. */
  readonly height: number;
  /** By its head. */
  readonly block: number;
  readonly rules: number;
  /** The hash of its content. */
  readonly content: Hash;
};

/** Says why a snapshot must not be used; undefined when nothing speaks against it. */
export type SnapshotJudge = (claim: SnapshotClaim) => Promise<string | undefined>;

/** For a folder's own snapshots: the log may lack an attestation, but must not contradict. */
export function unlessContradicted(
  log: Pick<Log, 'firstSeq' | 'lastSeq' | 'replay'>,
): SnapshotJudge {
  return async ({ block, content, height }) => {
    if (block !== height) return notItsBlock(block);
    const attested = await attestedIn(log, height);
    return attested === undefined || attested === content
      ? undefined
      : contradicted(content, attested);
  };
}

/** For a snapshot from elsewhere: the log must attest it, or the operator must accept its content by its hash. */
export function unlessAttested(
  attestedAt: (height: number) => Promise<Hash | undefined>,
  accepted: string | undefined,
): SnapshotJudge {
  return async ({ block, content, height }) => {
    if (block !== height) return notItsBlock(block);
    if (accepted === content) return undefined;
    const attested = await attestedAt(height);
    if (attested === content) return undefined;
    if (attested !== undefined) return contradicted(content, attested);
    return `the log does not attest its content. If it is your own copy, pass --accept-snapshot ${content}.`;
  };
}

function notItsBlock(block: number): string {
  return `it contains block ${block}`;
}

function contradicted(content: string, attested: string): string {
  return `its content has the hash ${content}, but the log attests ${attested}`;
}
