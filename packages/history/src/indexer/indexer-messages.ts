import type { Address, Hash } from '@oddlot/units';
import type { BlockHead } from '@oddlot/replica/block';
import type { Ask, AsOf, Answer, HistoryTopic, WatchedRows, WatchedTable } from '../history.ts';

/** What a thread of the indexer is told when it is made. */
export type IndexerSettings = {
  /** The data folder. */
  readonly data: string;
  /** Where the rows are kept instead of a file in the data folder. */
  readonly database?: string;
  /** Other replicas of the venue have the same database, and one of them writes. */
  readonly isShared?: boolean;
  /**
   * `both` is the rule. `rows` alone computes a history that is far behind, beside another that goes on
   * writing snapshots.
   */
  readonly role: 'both' | 'rows';
  readonly snapshotEveryBlocks: number;
  readonly snapshotEveryCommands: number;
  /** How many blocks are replayed for rows before snapshots go on; a longer replay runs on its own. */
  readonly shortBlocks: number;
  /** How long it may go on catching up after it is told to stop; four seconds by default. */
  readonly catchUpMs?: number;
  /** How long test money keeps an address from getting more; undefined where there is none. */
  readonly faucetEveryMs?: number;
  /** Rows of blocks older than this are dropped; undefined keeps all. */
  readonly historyKeptMs?: number;
  readonly receiptsKeptMs: number;
  /** False lifts the pace of clients, for load tests; they take turns all the same. */
  readonly limits?: boolean;
};

export type Question<Topic extends HistoryTopic = HistoryTopic> = {
  readonly type: 'ask';
  readonly id: number;
  readonly topic: Topic;
  readonly question: Ask<Topic>;
  /** The answer waits for this block, for so long; without it there is none. */
  readonly height: number;
  readonly waitMs: number;
  /** Whose turn it takes: an address as it is limited, empty for the venue itself. */
  readonly client: string;
  /** After so long who asked has given up. */
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
  /** This replica starts to write to the shared database, in a term; undefined: it stops. */
  | { readonly type: 'lead'; readonly term: number | undefined }
  /** Ends the thread: after catching up with the head if that is near, or at once. */
  | { readonly type: 'stop'; readonly head: BlockHead; readonly catchesUp: boolean };

/** How far a thread is. */
export type Progress = {
  readonly type: 'progress';
  /** The last block that was applied. */
  readonly height: number;
  /** Rows up to here are in the store. */
  readonly stored: AsOf;
  /** Blocks whose state was compared with that of the main thread. */
  readonly compared: number;
  /** Why rows can't be written at the moment; undefined when they can. */
  readonly heldWhy: string | undefined;
  readonly rows: Readonly<Record<string, number>>;
  readonly bytes: number;
};

/** What a thread of the indexer says. */
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
      /** What it took to answer. */
      readonly workMs: number;
    }
  | { readonly type: 'behind'; readonly id: number; readonly asOf: AsOf }
  /** The store can't be read now, but later. */
  | { readonly type: 'away'; readonly id: number; readonly why: string }
  | { readonly type: 'failed'; readonly id: number; readonly error: unknown }
  | {
      readonly type: 'snapshot';
      readonly height: number;
      /** The hash of its content, which the log attests. */
      readonly content: Hash;
      readonly seconds: number;
      /** The log from behind here on is needed by a start from any kept snapshot. */
      readonly oldest: number;
    }
  | { readonly type: 'snapshotFailed'; readonly error: unknown }
  | {
      readonly type: 'damaged';
      readonly why: string;
      readonly movedTo: string | undefined;
      /** A new store is open here already: it was found when the old one was opened. */
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
