import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '@oddlot/units';
import type { AppliedBlock } from '../../../../packages/replica/src/block.ts';
import { accountGains } from '../../../../packages/history/src/portfolio.ts';
import { HistoryBehindError } from '../../../../packages/history/src/history.ts';
import type {
  Answer,
  Ask,
  AskOptions,
  AsOf,
  History,
  HistoryTopic,
  StoreTopic,
} from '../../../../packages/history/src/history.ts';
import type { ReceiptRow } from '../../../../packages/history/src/receipt.ts';
import { Receipts } from '../../../../packages/history/src/receipts.ts';
import type { BlockRows } from '../../../../packages/history/src/rows/block-rows.ts';
import { HistoryProjector } from '../../../../packages/history/src/rows/history-projector.ts';
import {
  openHistoryStore,
  type HistoryStore,
} from '../../../../packages/history/src/store/history-store.ts';
import type { MarketData } from '../../../../packages/translate/src/read-models/market-data.ts';
import { instrumentLookup } from '../../../../packages/translate/src/action-to-command.ts';
import type { TestReplica } from './test-replica.ts';

/**
 * Serves a replica's history without its thread: the real store with real rows, written on demand.
 */
export class TestHistory implements History {
  readonly #replica: TestReplica;
  readonly #receipts: Receipts;
  readonly #projector: HistoryProjector;
  readonly #made = new Map<number, readonly ReceiptRow[]>();
  #unwritten: BlockRows[] = [];
  #opened: Promise<{ readonly store: HistoryStore; readonly directory: string }> | undefined;
  /** The highest block that queries can see. If absent, queries see all blocks. */
  heldAt: number | undefined;

  constructor(replica: TestReplica, markets: MarketData) {
    const state = () => replica.state;
    this.#replica = replica;
    this.#receipts = new Receipts({
      instruments: instrumentLookup(state),
      onReceipts: ({ height, receipts }) => void this.#made.set(height, receipts),
    });
    this.#projector = new HistoryProjector({
      state,
      markets,
      receiptsOf: (height) => this.#made.get(height) ?? [],
      onRows: (rows) => this.#unwritten.push(rows),
    });
  }

  onBlock(block: AppliedBlock): void {
    this.#receipts.onBlock(block);
    this.#projector.onBlock(block);
    this.#made.clear();
  }

  get asOf(): AsOf {
    const height = Math.min(this.#replica.head.height, this.heldAt ?? Infinity);
    return { height, timeMs: present(this.#replica.headAt(height), 'a head').timeMs };
  }

  async ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
    { requester, minHeight = this.#replica.head.height }: AskOptions = {},
  ): Promise<{ readonly asOf: AsOf; readonly answer: Answer<Topic> }> {
    const { asOf } = this;
    if (minHeight > asOf.height) throw new HistoryBehindError(asOf, minHeight);
    this.#opened ??= openTemporary();
    const { store } = await this.#opened;
    await store.write(this.#unwritten.filter(({ head }) => head.height <= asOf.height));
    this.#unwritten = this.#unwritten.filter(({ head }) => head.height > store.height);
    const startedMs = performance.now();
    const answer = await this.#find(store, asOf, topic, question);
    requester?.spend(performance.now() - startedMs);
    return { asOf, answer: answer as Answer<Topic> };
  }

  async #find<Topic extends HistoryTopic>(
    store: HistoryStore,
    asOf: AsOf,
    topic: Topic,
    question: Ask<Topic>,
  ): Promise<unknown> {
    const projector = this.#projector;
    if (topic === 'accountSums') {
      return projector.accountSums((question as Ask<'accountSums'>).user);
    }
    if (topic === 'accountGains') {
      return accountGains(question as Ask<'accountGains'>, {
        nowMs: asOf.timeMs,
        sums: (user) => projector.accountSums(user),
        users: (from, limit) => projector.users(from, limit),
        valuesAt: (ask) => store.ask('valuesAt', ask),
      });
    }
    return store.ask(topic as StoreTopic, question as Ask<StoreTopic>, projector.liveRows);
  }

  watch(): () => void {
    throw new TypeError('queries watch nothing');
  }

  async close(): Promise<void> {
    if (this.#opened === undefined) return;
    const { directory, store } = await this.#opened;
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function openTemporary() {
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-history-'));
  return { directory, store: await openHistoryStore({ file: join(directory, 'history.sqlite') }) };
}
