import type { Address, Hash } from '@oddlot/units';
import type { BlockHead } from '@oddlot/replica/block';
import type { Ask, AsOf, Answer, HistoryTopic, WatchedRows, WatchedTable } from '../history.ts';

/** Settings of an indexer thread. */
export type IndexerSettings = {
  /** The data folder. */
  readonly data: string;
  /** The database of the rows, instead of a file in the data folder. */
  readonly database?: string;
  /** Other replicas of the venue have the same database, and one of them writes. */
  readonly isShared?: boolean;
  /**
   * Usually `both`. `rows` computes only a history that is far behind, next to another thread that writes snapshots.
   */
  readonly role: 'both' | 'rows';
  readonly snapshotEveryBlocks: number;
  readonly snapshotEveryCommands: number;
  /** Blocks that are replayed for rows before snapshots continue; a longer replay has its own thread. */
  readonly shortBlocks: number;
  /** How long a stop may wait for catching up. Default: four seconds. */
  readonly catchUpMs?: number;
  /** The time after which an address can use the faucet again; undefined without a faucet. */
  readonly faucetEveryMs?: number;
  /** Rows of older blocks are deleted; undefined keeps all. */
  readonly historyKeptMs?: number;
  readonly receiptsKeptMs: number;
  /** False removes the pace of clients for load tests; they still take turns. */
  readonly limits?: boolean;
};

export type Question<Topic extends HistoryTopic = HistoryTopic> = {
  readonly type: 'ask';
  readonly id: number;
  readonly topic: Topic;
  readonly question: Ask<Topic>;
  /** The answer waits for this block, for at most `waitMs`; otherwise there is none. */
  readonly height: number;
  readonly waitMs: number;
  /** The client that is charged: an address as in its limits, empty for the venue itself. */
  readonly client: string;
  /** The time after which the caller has given up. */
  readonly patienceMs: number;
};

/** Requests of the main thread with one answer each. */
export type IndexerRequests = {
  /** Checks that the store belongs to the log, or begins a new one; answers with its height. */
  readonly verify: {
    readonly ask: {
      readonly firstSeq: number;
      /** The last block that the store and the log have in common, if it is known. */
      readonly head: Pick<BlockHead, 'height' | 'hash'> | undefined;
    };
    readonly answer: { readonly height: number };
  };
  /** Starts to follow the log. */
  readonly start: {
    readonly ask: { readonly head: BlockHead; readonly hasRoom: boolean };
    readonly answer: {
      readonly from: number;
      /** False if the rows are too far behind, so that another thread must compute them. */
      readonly hasRows: boolean;
    };
  };
  /** Writes a snapshot of all known blocks; answers with the height of the newest one. */
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

/** Messages of the main thread. */
export type IndexerOrder =
  | IndexerRequest
  | { readonly type: 'durable'; readonly head: BlockHead; readonly hasRoom: boolean }
  | Question
  | { readonly type: 'watch'; readonly user: Address; readonly table: WatchedTable }
  | { readonly type: 'unwatch'; readonly user: Address; readonly table: WatchedTable }
  | { readonly type: 'takeSnapshots' }
  /** The term in which this replica writes to the shared database; undefined if it stops. */
  | { readonly type: 'lead'; readonly term: number | undefined }
  /** Ends the thread: after catching up with the head if that is near, or at once. */
  | { readonly type: 'stop'; readonly head: BlockHead; readonly catchesUp: boolean };

/** The progress of a thread. */
export type Progress = {
  readonly type: 'progress';
  /** The last applied block. */
  readonly height: number;
  /** Rows up to here are in the store. */
  readonly stored: AsOf;
  /** Blocks whose state was compared with that of the main thread. */
  readonly compared: number;
  /** The reason why rows cannot be written now; undefined if they can. */
  readonly heldWhy: string | undefined;
  readonly rows: Readonly<Record<string, number>>;
  readonly bytes: number;
};

/** Messages of an indexer thread. */
export type IndexerReport =
  | { readonly type: 'opened'; readonly height: number }
  | {
      readonly type: 'reply';
      readonly id: number;
      readonly answer: IndexerRequests[RequestName]['answer'];
    }
  /** There is no store to write to; the thread ends. */
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
      /** The cost of the answer. */
      readonly workMs: number;
    }
  | { readonly type: 'behind'; readonly id: number; readonly asOf: AsOf }
  /** The store cannot be read now. */
  | { readonly type: 'away'; readonly id: number; readonly why: string }
  | { readonly type: 'failed'; readonly id: number; readonly error: unknown }
  | {
      readonly type: 'snapshot';
      readonly height: number;
      /** The hash of its content, which the log attests. */
      readonly content: Hash;
      readonly seconds: number;
      /** A start from any kept snapshot needs the log after this height. */
      readonly oldest: number;
    }
  | { readonly type: 'snapshotFailed'; readonly error: unknown }
  | {
      readonly type: 'damaged';
      readonly why: string;
      readonly movedTo: string | undefined;
      /** A new store is already open here, because the damage was found during opening. */
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
