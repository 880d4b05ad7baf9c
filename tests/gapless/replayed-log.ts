import { join } from 'node:path';
import { NETWORKS, parseInfo } from '@oddlot/protocol';
import { FollowedModels } from '../../packages/history/src/indexer/followed-models.ts';
import type { BlockRows } from '../../packages/history/src/rows/block-rows.ts';
import { EraStore, SnapshotStore } from '../../packages/replica/src/log/checked-stores.ts';
import { FileJournal } from '../../packages/replica/src/log/file-journal.ts';
import { FollowingReplica } from '../../packages/replica/src/following-replica.ts';
import { answerInfo, isStateQuery } from '../../packages/translate/src/answer-info.ts';
import type { Json } from '../support/client.ts';

/** Replays the log in a separate engine, starting with the first block. */
export class ReplayedLog {
  readonly #rows: readonly BlockRows[];
  readonly #ask: (query: object) => Json;

  private constructor(rows: readonly BlockRows[], ask: (query: object) => Json) {
    this.#rows = rows;
    this.#ask = ask;
  }

  /** Reads the data folder of a stopped venue. Its snapshots and its history are not used. */
  static async read(data: string): Promise<ReplayedLog> {
    const log = await FileJournal.open({
      directory: join(data, 'journal'),
      clock: { nowMs: () => 0 },
      onFatal: (error) => {
        throw error;
      },
    });
    const replica = await FollowingReplica.create({
      log,
      snapshots: new SnapshotStore({ directory: join(data, 'no snapshots') }),
      eras: new EraStore({ directory: join(data, 'eras') }),
    });
    const rows: BlockRows[] = [];
    const { markets } = new FollowedModels(replica, { onRows: (each) => rows.push(each) });
    await replica.goToBeginning();
    await log.replay(1, (entry) => void replica.take(entry));
    await log.close();
    return new ReplayedLog(rows, (query) => {
      const parsed = parseInfo(query);
      if (!parsed.ok || !isStateQuery(parsed.query)) throw new Error('the query is not answered');
      const context = { state: replica.state, markets, network: NETWORKS.testnet };
      const answered = answerInfo({ ...context, settings: SETTINGS }, parsed.query);
      if (!answered.ok) throw new Error(answered.error.message);
      return JSON.parse(JSON.stringify(answered.data));
    });
  }

  get height(): number {
    return this.#rows.at(-1)?.head.height ?? 0;
  }

  /** Returns an account's fills, oldest first, without their markets' texts. */
  fills(user: string): Json[] {
    return this.#rows.flatMap(({ fills }) =>
      fills.filter((each) => each.user === user).map(({ row }) => row),
    );
  }

  /** Returns the last states of an account's orders, by order id. */
  orders(user: string): Map<number, Json> {
    const orders = new Map<number, Json>();
    for (const { orders: rows } of this.#rows) {
      for (const { orderId, row, user: owner } of rows) {
        if (owner === user) orders.set(orderId, row);
      }
    }
    return orders;
  }

  /** Returns an account's ledger, oldest first. */
  ledger(user: string): Json[] {
    return this.#rows.flatMap(({ ledger }) =>
      ledger.filter((each) => each.user === user).map(({ row }) => row),
    );
  }

  blockHashes(): Map<number, string> {
    return new Map(this.#rows.map(({ head }) => [head.height, head.hash]));
  }

  /** Returns the signed requests in the explorer's format, oldest first. */
  txs(): Json[] {
    return this.#rows.flatMap(({ head, txs }) =>
      txs.map(({ actionType, error, txHash, user }) => {
        const action = { type: actionType };
        return { hash: txHash, time: head.timeMs, user, action, block: head.height, error };
      }),
    );
  }

  /** Returns the ids of an instrument's trades in order. Each trade is a fill for two accounts. */
  trades(instrumentId: number): number[] {
    const ids = this.#rows.flatMap(({ fills }) =>
      fills.filter((each) => each.instrumentId === instrumentId).map(({ row }) => row.tid),
    );
    return [...new Set(ids)].filter((tid) => tid !== 0);
  }

  /** Returns the response to a query about the state after the last block. */
  ask(query: object): Json {
    return this.#ask(query);
  }
}

const NOBODY = `0x${'0'.repeat(40)}`;
const SETTINGS = {
  bridgeContractAddress: NOBODY,
  usdcContractAddress: NOBODY,
  settlementChainId: 1,
  chainName: '',
};
