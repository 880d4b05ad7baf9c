import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { State } from '@oddlot/engine';
import type { AppliedBlock } from '../../../packages/replica/src/block.ts';
import {
  type Answer,
  type Ask,
  type AsOf,
  type History,
  HistoryBehindError,
  type HistoryTopic,
} from '../../../packages/history/src/history.ts';
import type { BlockRows } from '../../../packages/history/src/rows/block-rows.ts';
import { HistoryProjector } from '../../../packages/history/src/rows/history-projector.ts';
import {
  type HistoryStore,
  openHistoryStore,
} from '../../../packages/history/src/store/history-store.ts';
import type { MarketData } from '../../../packages/translate/src/read-models/market-data.ts';

/**
 * Writes the real rows of a test's blocks to a real database on demand, bypassing the venue's
 * history thread.
 */
export class StoredHistory implements Pick<History, 'ask' | 'asOf'> {
  readonly projector: HistoryProjector;
  /** Topics of all queries answered so far. */
  readonly asked: HistoryTopic[] = [];
  asOf: AsOf = { height: 0, timeMs: 0 };
  #unwritten: BlockRows[] = [];
  #store: Promise<HistoryStore> | undefined;
  #folder: string | undefined;

  readonly #state: () => State;

  /** Call `onBlock` only after `markets` has processed the block. */
  constructor(options: { readonly state: () => State; readonly markets: MarketData }) {
    this.#state = options.state;
    this.projector = new HistoryProjector({
      ...options,
      receiptsOf: () => [],
      onRows: (rows) => this.#unwritten.push(rows),
    });
  }

  onBlock(block: AppliedBlock): void {
    this.asOf = { height: block.height, timeMs: block.timeMs };
    this.projector.onBlock(block);
  }

  async ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
    { minHeight = this.#state().height }: { readonly minHeight?: number } = {},
  ): Promise<{ readonly asOf: AsOf; readonly answer: Answer<Topic> }> {
    this.asked.push(topic);
    if (this.asOf.height < minHeight) throw new HistoryBehindError(this.asOf, minHeight);
    if (topic === 'accountSums' || topic === 'accountGains')
      throw new Error('the sums of now are with the indexer');
    const store = await this.store();
    const answer = await store.ask(topic as never, question as never, this.projector.liveRows);
    return { asOf: this.asOf, answer: answer as Answer<Topic> };
  }

  /** Writes all pending rows and returns the store. */
  async store(): Promise<HistoryStore> {
    this.#store ??= this.#open();
    const store = await this.#store;
    const rows = this.#unwritten;
    this.#unwritten = [];
    await store.write(rows);
    return store;
  }

  /** Closes the store and deletes its folder. */
  async close(): Promise<void> {
    await (await this.#store)?.close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true });
  }

  async #open(): Promise<HistoryStore> {
    this.#folder = await mkdtemp(join(tmpdir(), 'oddlot-history-'));
    return openHistoryStore({ file: join(this.#folder, 'history.sqlite') });
  }
}
