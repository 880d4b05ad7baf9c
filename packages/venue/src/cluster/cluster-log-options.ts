import type { FileJournal } from '../log/file-journal.ts';
import type { BlockStream } from './block-stream.ts';
import type { FollowedStream } from './followed-stream.ts';
import type { KnownBlock } from './known-block.ts';
import type { ProposalOrder } from './proposal-order.ts';
import type { StreamLostError } from './stream-error.ts';

/** What the log of a cluster is made of. */
export type ClusterLogOptions = {
  readonly stream: BlockStream;
  /** The files of this replica, in which it keeps what it has read. */
  readonly copy: FileJournal;
  /** Attached to the replica that follows: where proposers stand in what it has applied. */
  readonly order: ProposalOrder;
  readonly clock: { nowMs(): number };
  readonly serviceNetwork: string;
  /** Which stream these files follow; undefined for a copy that nobody goes on with. */
  readonly followed?: FollowedStream;
  /** The highest block that any replica has told of while it followed this stream. */
  readonly known?: (era: string | undefined) => KnownBlock | undefined;
  /** Whoever had read others: for an operator who copies what the stream has. */
  readonly readsAsItIs?: boolean;
  /** Reading can't go on; the process must end. */
  readonly onFatal: (error: unknown) => void;
  /** The stream lacks blocks that this replica has. */
  readonly onLost: (error: StreamLostError) => void;
};

/** Why nothing can be written now. */
export type LogTrouble =
  | { readonly kind: 'silent'; readonly sinceMs: number }
  | { readonly kind: 'lost'; readonly error: StreamLostError };
