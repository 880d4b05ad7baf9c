/**
 * The door for whoever replays the log of a venue without being one: how blocks are read, how a command follows from the
 * request that was signed, and the replica that applies them. Nothing behind it listens, writes to a log or holds a key.
 */
export type { AppliedBlock, BlockHead } from './block/applied-block.ts';
export type { LogEntry, LoggedCommand } from './block/log-entry.ts';
export type { Projection } from './block/projection.ts';
export { authorityOf, isRequest, type RequestCommand } from './block/request-command.ts';
export { authorityFrom } from './edge/http/authority-from.ts';
export { sentRequest } from './edge/read-request.ts';
export { createRecoverer, type Recoverer } from './edge/recoverer.ts';
export { genesisCommands } from './genesis-commands.ts';
export { followRows } from './history/archivist/follow-rows.ts';
export { decodeReceiptBody } from './history/receipt-body.ts';
export type { BlockRows } from './history/rows/block-rows.ts';
export { EraStore } from './log/era-store.ts';
export { readLogPage } from './log/log-page.ts';
export { SnapshotStore } from './log/snapshot-store.ts';
export { attestationIn } from './block/attestation-in.ts';
export { createTextHasher } from './replica/block-hash.ts';
export { FollowingReplica } from './replica/following-replica.ts';
export { LaterReleaseError } from './replica/replica-error.ts';
export type { SnapshotJudge } from './replica/snapshot-judges.ts';
export { Snapshotter } from './replica/snapshotter.ts';
export { depositsIn } from './settlement/deposit-book.ts';
export {
  actionToCommand,
  instrumentLookup,
  type InstrumentLookup,
} from './translate/action-to-command.ts';
