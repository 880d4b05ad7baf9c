import type { PackedDump, StateDump } from '@oddlot/engine';
import type { Hash } from '@oddlot/units';
import type { BlockHead } from '../block/applied-block.ts';

/** What a snapshot and the start of an era hold. */
export type SnapshotPayload = {
  /** The version of the rules that `state` came about under. */
  readonly rules: number;
  readonly head: BlockHead;
  readonly heads: readonly BlockHead[];
  readonly state: StateDump | PackedDump;
  /** What the projections dumped, by name. Files and engines of earlier rules have them under this word. */
  readonly companions: Readonly<Record<string, unknown>>;
  /** Versions of those. The start of an era after rules 2 or earlier can lack them; all were 1. */
  readonly versions?: Readonly<Record<string, number>>;
};

/** As this release writes it. */
export type PackedPayload = SnapshotPayload & { readonly state: PackedDump };

/** A snapshot, and the hash of its content, which the log attests. */
export type WrittenSnapshot = { readonly height: number; readonly content: Hash };
