import type { Hash } from '@oddlot/units';
import type { ArchivistSettings } from './archivist-messages.ts';
import type { StartArchivist } from './archivist-thread.ts';

/** What the archivist is given, and whom it tells what. */
export type ArchivistOptions = {
  readonly settings: Omit<ArchivistSettings, 'role'>;
  readonly hasRoom: () => boolean;
  /** What it runs on; a thread of its own by default. */
  readonly startArchivist?: StartArchivist | undefined;
  /** How long a question may go without an answer; eight seconds by default. */
  readonly answerMsMax?: number;
  /** A fault after which the process must not go on. */
  readonly onFatal: (error: unknown) => void;
  /** Told how far the store is, whenever it has moved. */
  readonly onStored?: (height: number) => void;
  /** A snapshot was written; the log behind this height is needed still, 0 when all of it is. */
  readonly onSnapshot?: (snapshot: {
    readonly height: number;
    readonly content: Hash;
    readonly seconds: number;
    readonly neededFrom: number;
  }) => void;
  readonly onSnapshotFailed?: (error: unknown) => void;
  readonly onDamaged?: (damage: {
    readonly why: string;
    readonly movedTo: string | undefined;
  }) => void;
  /** Rows are missing, and are computed from the log beside everything else. */
  readonly onRebuild?: (rebuild: { readonly from: number; readonly until: number }) => void;
  readonly onRebuilt?: (height: number) => void;
  /** They can't be: the history stays where it is until the next start. */
  readonly onRebuildFailed?: (error: unknown) => void;
  readonly onPassedOver?: (what: string, why: string) => void;
  /** The server of the database can't be reached or has no room; it is tried again until it has. */
  readonly onAway?: (why: string) => void;
  readonly onBack?: (height: number) => void;
};
