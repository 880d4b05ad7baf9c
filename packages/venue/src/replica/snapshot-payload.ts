import type { PackedDump, StateDump } from '@oddlot/engine';
import type { Hash } from '@oddlot/units';
import type { BlockHead } from '../block/applied-block.ts';

/** What a snapshot and the start of an era hold. */
export type SnapshotPayload = {
  /** Under which `state` came about. Those of release 0.1.0 lack it: theirs are 1. */
  readonly rules?: number;
  readonly head: BlockHead;
  readonly heads: readonly BlockHead[];
  readonly state: StateDump | PackedDump;
  /** What the projections dumped, by name. Files and engines of earlier rules have them under this word. */
  readonly companions: Readonly<Record<string, unknown>>;
  /** Versions of those; the first snapshots lack them, and all were 1. */
  readonly versions?: Readonly<Record<string, number>>;
};

/** As this release writes it. */
export type PackedPayload = SnapshotPayload & { readonly state: PackedDump };

export function rulesOf({ rules }: SnapshotPayload): number {
  return rules ?? 1;
}

/** A snapshot, and the hash of its content, which the log attests. */
export type WrittenSnapshot = { readonly height: number; readonly content: Hash };
