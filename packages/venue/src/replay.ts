/**
 * The door for whoever replays the log of a venue without being one: how blocks are read, how a command follows from the
 * request that was signed, and the replica that applies them. Nothing behind it listens, writes to a log or holds a key.
 */
export {
  type AppliedBlock,
  attestationIn,
  authorityOf,
  type BlockHead,
  isRequest,
  type LogEntry,
  type LoggedCommand,
  type Projection,
  type RequestCommand,
} from './block/block.ts';
export { authorityFrom } from './edge/http/authority-from.ts';
export { sentRequest } from './edge/read-request.ts';
export { createRecoverer, type Recoverer } from './edge/recoverer.ts';
export { genesisCommands } from './genesis-commands.ts';
export { followRows } from './history/archivist/followed-models.ts';
export { decodeReceiptBody } from './history/receipt.ts';
export type { BlockRows } from './history/rows/block-rows.ts';
export { EraStore, SnapshotStore } from './log/checked-stores.ts';
export { readLogPage } from './log/log-reader.ts';
export { createTextHasher } from './replica/block-hash.ts';
export { FollowingReplica } from './replica/following-replica.ts';
export { LaterReleaseError } from './replica/replica.ts';
export type { SnapshotJudge } from './replica/attestations.ts';
export { Snapshotter } from './replica/folder-follower.ts';
export { depositsIn } from './settlement/deposit-book.ts';
export {
  actionToCommand,
  instrumentLookup,
  type InstrumentLookup,
} from './translate/action-to-command.ts';
