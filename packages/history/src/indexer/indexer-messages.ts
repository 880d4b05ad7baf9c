import type { Address, Hash } from '@oddlot/units';
import type { BlockHead } from '@oddlot/replica/block';
import type { Ask, AsOf, Answer, HistoryTopic, WatchedRows, WatchedTable } from '../history.ts';

export type IndexerSettings = {
  readonly data: string;
  /** The URL of the database. If absent, rows are stored in a file in the data folder. */
  readonly database?: string;
  /** True if the venue's replicas share the database; only one of them then writes. */
  readonly isShared?: boolean;
  /**
   * The role is usually `both`. A thread with the role `rows` recomputes a history that is far
   * behind, while another thread writes snapshots.
   */
  readonly role: 'both' | 'rows';
  readonly snapshotEveryBlocks: number;
  readonly snapshotEveryCommands: number;
  /**
   * How many blocks this thread may replay for rows before it continues with snapshots. A longer
   * replay runs on its own thread.
   */
  readonly shortBlocks: number;
  /** How long a shutdown waits for the indexer to catch up at most; by default, four seconds. */
  readonly catchUpMs?: number;
  /** The time after which an address can use the faucet again; undefined if there is no faucet. */
  readonly faucetEveryMs?: number;
  /** The age after which rows are deleted; undefined keeps all rows. */
  readonly historyKeptMs?: number;
  readonly receiptsKeptMs: number;
  /**
   * If false, clients' rate limits are disabled for load tests. Clients are still served in turn.
   */
  readonly limits?: boolean;
};

export type Question<Topic extends HistoryTopic = HistoryTopic> = {
  readonly type: 'ask';
  readonly id: number;
  readonly topic: Topic;
  readonly question: Ask<Topic>;
  /**
   * The block that the response must include. If it does not arrive within `waitMs`, the query
   * fails.
   */
  readonly height: number;
  readonly waitMs: number;
  /** The client to charge, identified by its rate-limit key; empty for the venue itself. */
  readonly client: string;
  readonly patienceMs: number;
};

/** Requests from the main thread. Each gets exactly one response. */
export type IndexerRequests = {
  /**
   * Checks that the store belongs to the log, or begins a new store. The response gives the stored
   * height.
   */
  readonly verify: {
    readonly ask: {
      readonly firstSeq: number;
      readonly head: Pick<BlockHead, 'height' | 'hash'> | undefined;
    };
    readonly answer: { readonly height: number };
  };
  readonly start: {
    readonly ask: { readonly head: BlockHead; readonly hasSpace: boolean };
    readonly answer: {
      readonly from: number;
      /** False if the rows are so far behind that another thread must compute them. */
      readonly hasRows: boolean;
    };
  };
  /**
   * Writes a snapshot of all known blocks. The response gives the height of the newest snapshot.
   */
  readonly writeSnapshot: { readonly ask: object; readonly answer: { readonly height: number } };
};

export type RequestName = keyof IndexerRequests;

export type IndexerRequest<Name extends RequestName = RequestName> = {
  [Each in Name]: { readonly type: Each; readonly id: number } & IndexerRequests[Each]['ask'];
}[Name];

export function replyTo<Name extends RequestName>(
  { id }: IndexerRequest<Name>,
  answer: IndexerRequests[Name]['answer'],
): IndexerReport {
  return { type: 'reply', id, answer };
}

export type IndexerOrder =
  | IndexerRequest
  | { readonly type: 'durable'; readonly head: BlockHead; readonly hasSpace: boolean }
  | Question
  | { readonly type: 'watch'; readonly user: Address; readonly table: WatchedTable }
  | { readonly type: 'unwatch'; readonly user: Address; readonly table: WatchedTable }
  | { readonly type: 'takeSnapshots' }
  /**
   * The term in which this replica writes to the shared database; undefined if it is to stop
   * writing.
   */
  | { readonly type: 'lead'; readonly term: number | undefined }
  /** Ends the thread immediately, or after it has caught up with a nearby head. */
  | { readonly type: 'stop'; readonly head: BlockHead; readonly catchesUp: boolean };

export type Progress = {
  readonly type: 'progress';
  readonly height: number;
  readonly stored: AsOf;
  readonly compared: number;
  /** Why rows cannot currently be written; undefined if they can. */
  readonly heldWhy: string | undefined;
  readonly rows: Readonly<Record<string, number>>;
  readonly bytes: number;
};

export type IndexerReport =
  | { readonly type: 'opened'; readonly height: number }
  | {
      readonly type: 'reply';
      readonly id: number;
      readonly answer: IndexerRequests[RequestName]['answer'];
    }
  /** The store cannot be used, and the thread ends. */
  | { readonly type: 'unusable'; readonly why: string }
  | Progress
  | {
      readonly [Table in WatchedTable]: {
        readonly type: 'rows';
        readonly table: Table;
        readonly user: Address;
        readonly height: number;
        readonly rows: WatchedRows[Table];
      };
    }[WatchedTable]
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly asOf: AsOf;
      readonly answer: Answer<HistoryTopic>;
      /** The time the indexer thread spent on the query. */
      readonly workMs: number;
    }
  | { readonly type: 'behind'; readonly id: number; readonly asOf: AsOf }
  | { readonly type: 'away'; readonly id: number; readonly why: string }
  | { readonly type: 'failed'; readonly id: number; readonly error: unknown }
  | {
      readonly type: 'snapshot';
      readonly height: number;
      readonly content: Hash;
      readonly seconds: number;
      /** The lowest height of a kept snapshot; the log after it is still needed. */
      readonly oldest: number;
    }
  | { readonly type: 'snapshotFailed'; readonly error: unknown }
  | {
      readonly type: 'damaged';
      readonly why: string;
      readonly movedTo: string | undefined;
      /** True if the damage was found while opening; a new store is then already open. */
      readonly isMended: boolean;
    }
  | {
      readonly type: 'diverged';
      readonly height: number;
      readonly own: string;
      readonly recorded: string;
    }
  | { readonly type: 'passedOver'; readonly what: string; readonly why: string }
  | { readonly type: 'stopped' };
