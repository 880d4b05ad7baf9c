import { setTimeout as later } from 'node:timers/promises';
import type { BridgeContracts } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import type { RecordStore } from '@oddlot/host/durable';
import { GrantedRecentlyError } from '@oddlot/host/grants';
import type { Logger } from '@oddlot/host/log';
import { type InfoQueryOf, refusal } from '@oddlot/protocol';
import type { Hex } from 'viem';
import type { HolderLine } from '@oddlot/cluster/holder-line';
import { RecordsLostError, type RecordStream } from '@oddlot/cluster/shared-records';
import type { Term } from '@oddlot/replica/lease';
import {
  briefOf,
  type MoneySide,
  type SettlementBrief,
  type SettlementStatus,
  type SettlementWorker,
} from './money-side.ts';
import type { PayoutProgress } from './payout/payout-worker.ts';
import type { PermitAnswer } from './permit-deposits.ts';
import type { Settlement } from './settlement.ts';

export type SettlementRecords = {
  readonly payouts: string | RecordStore;
  readonly watched: string | RecordStore;
  readonly relayer: string | RecordStore;
  readonly minter: string | RecordStore;
};

type SharedSettlementParts = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly hasRelayer: boolean;
  /**
   * The minimum interval between grants of test funds per address on the chain itself; undefined if
   * the venue does not run the chain.
   */
  readonly fundEveryMs: number | undefined;
  readonly now: () => number;
  readonly records: Pick<RecordStream, 'take'>;
  readonly line: Pick<HolderLine, 'answer' | 'ask' | 'lastStatus' | 'publishStatus'>;
  /** Opens the workers on the chain for one term. All of them must stop when the term ends. */
  readonly open: (term: Term, records: SettlementRecords) => Settlement;
  readonly log: Logger;
};

/** The status that a holder sends to the other replicas, in addition to its responses. */
type HolderMessage = { readonly brief: SettlementBrief; readonly more: unknown };
type Fund = { readonly user: Hex; readonly amount: bigint; readonly atMs: number };
type Funded = { readonly txHash: Hex } | { readonly nextMs: number };

const NAMES = ['payouts', 'watched', 'relayer', 'minter'] as const;
const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 30_000;
const STATUS_EVERY_MS = 1_000;
/**
 * Request timeouts: a request that sends a transaction may have to wait for it; all others are
 * answered immediately.
 */
const SEND_MS_MAX = 40_000;
const ASK_MS_MAX = 2_000;
const HTTP_UNAVAILABLE = 503;

/**
 * The settlement chain of a cluster. One replica at a time, the holder of the lease, transacts on
 * it and keeps records that its successor takes over; the other replicas query it. A holder that
 * has lost its lease without noticing can no longer write records. Since every side effect is
 * recorded first, it does nothing that its successor also does.
 */
export class SharedSettlement implements MoneySide {
  readonly #parts: SharedSettlementParts;
  readonly #workers: SettlementWorker[] = [];
  #own: Settlement | undefined;
  #running: Promise<void> = Promise.resolve();
  #end: () => void = () => undefined;
  #isStopping = false;
  #more: () => unknown = () => undefined;
  readonly #answers: Record<string, (body: unknown) => Promise<unknown>> = {};

  constructor(parts: SharedSettlementParts) {
    this.#parts = parts;
    this.answer('permit', (query) => this.#depositHere(query as InfoQueryOf<'depositWithPermit'>));
    this.answer('progress', async (id) => this.#own?.payouts.progressOf(id as number));
    this.answer('fund', (request) => this.#fundHere(request as Fund));
  }

  get client(): ChainClient {
    return this.#parts.client;
  }

  get contracts(): BridgeContracts {
    return this.#parts.contracts;
  }

  get status(): SettlementStatus | undefined {
    return this.#own?.status;
  }

  get isHere(): boolean {
    return this.#own !== undefined;
  }

  get brief(): SettlementBrief | undefined {
    const { status } = this;
    if (status !== undefined) return briefOf(status);
    return (this.#parts.line.lastStatus as HolderMessage | undefined)?.brief;
  }

  get holderStatus(): unknown {
    return (this.#parts.line.lastStatus as HolderMessage | undefined)?.more;
  }

  get permits(): MoneySide['permits'] {
    if (!this.#parts.hasRelayer) return undefined;
    return {
      deposit: (query) =>
        this.#own === undefined ? this.#askForDeposit(query) : this.#depositHere(query),
    };
  }

  get payouts(): MoneySide['payouts'] {
    return {
      progressOf: (id) => {
        if (this.#own !== undefined) return this.#own.payouts.progressOf(id);
        const asked = this.ask('progress', id) as Promise<PayoutProgress | undefined>;
        // The withdrawal is in the state; only the progress of its payout is unavailable.
        return asked.catch(() => undefined);
      },
    };
  }

  get backing(): MoneySide['backing'] {
    const { contracts, fundEveryMs } = this.#parts;
    if (fundEveryMs === undefined) return undefined;
    return {
      contracts: [contracts.bridge, contracts.token],
      // The records belong to the holder, which reads them for each request.
      funded: () => [],
      fund: async (request) => {
        const funded =
          this.#own === undefined
            ? ((await this.#parts.line.ask('fund', request, SEND_MS_MAX)) as Funded)
            : await this.#fundHere(request);
        if ('nextMs' in funded) throw new GrantedRecentlyError(funded.nextMs);
        return funded.txHash;
      },
    };
  }

  add(worker: SettlementWorker): void {
    this.#workers.push(worker);
    this.#own?.add(worker);
  }

  /**
   * Registers a handler for requests from other replicas while this replica transacts on the chain.
   */
  answer(what: string, handle: (body: unknown) => Promise<unknown>): void {
    this.#answers[what] = handle;
  }

  ask(what: string, body: unknown): Promise<unknown> {
    return this.#parts.line.ask(what, body, ASK_MS_MAX);
  }

  addStatus(more: () => unknown): void {
    this.#more = more;
  }

  /**
   * Starts the work without waiting for it, because a holder that does not renew for a second loses
   * its lease.
   */
  start(term: Term): void {
    this.#isStopping = false;
    this.#running = this.#work(term);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#end();
    await this.#running;
  }

  async close(): Promise<void> {
    await this.stop();
  }

  /**
   * Restarts the work until the term ends. If a process without the lease has taken over write
   * access to the records, this process takes it back.
   */
  async #work(term: Term): Promise<void> {
    let waitMs = AGAIN_MS;
    const isDone = (): boolean => this.#isStopping || term.isOver();
    while (!isDone()) {
      try {
        await this.#workOnce(term);
        waitMs = AGAIN_MS;
      } catch (error) {
        if (isDone()) return;
        this.#parts.log.error({ err: error }, 'settlement failed on this replica; retrying');
        waitMs = Math.min(AGAIN_MS_MAX, 2 * waitMs);
      }
      const stopped = Promise.withResolvers<void>();
      this.#end = () => stopped.resolve();
      if (!isDone()) await Promise.race([later(waitMs), stopped.promise]);
    }
  }

  async #workOnce(term: Term): Promise<void> {
    const { line, log } = this.#parts;
    const ended = Promise.withResolvers<void>();
    this.#end = () => ended.resolve();
    const onLost = (error: unknown): void => {
      if (!term.isOver())
        log.warn({ err: error }, 'write access to the settlement records lost; reacquiring it');
      ended.resolve();
    };
    const settlement = this.#parts.open(term, await this.#take(term, onLost));
    for (const worker of this.#workers) settlement.add(worker);
    let stopAnswering: (() => void) | undefined;
    const statusTimer = setInterval(() => {
      if (!term.isOver())
        line.publishStatus({ brief: briefOf(settlement.status), more: this.#more() });
    }, STATUS_EVERY_MS).unref();
    try {
      if (this.#isStopping) return;
      await settlement.start();
      this.#own = settlement;
      stopAnswering = line.answer(this.#answers);
      await ended.promise;
    } finally {
      this.#own = undefined;
      clearInterval(statusTimer);
      stopAnswering?.();
      await settlement.close();
    }
  }

  async #take(term: Term, onLost: (error: unknown) => void): Promise<SettlementRecords> {
    const { records } = this.#parts;
    const taken = NAMES.map(async (name) => [name, await records.take(name, { term, onLost })]);
    return Object.fromEntries(await Promise.all(taken)) as SettlementRecords;
  }

  async #depositHere(query: InfoQueryOf<'depositWithPermit'>): Promise<PermitAnswer> {
    const elsewhere = unavailable(
      'another replica is sending the transaction; send the request again',
    );
    try {
      return (await this.#own?.permits?.deposit(query)) ?? elsewhere;
    } catch (error) {
      if (!(error instanceof RecordsLostError)) throw error;
      return elsewhere;
    }
  }

  async #askForDeposit(query: InfoQueryOf<'depositWithPermit'>): Promise<PermitAnswer> {
    try {
      return (await this.#parts.line.ask('permit', query, SEND_MS_MAX)) as PermitAnswer;
    } catch (error) {
      return unavailable((error as Error).message);
    }
  }

  /** Sends test funds. The records cover every funded address, whichever replica sent the funds. */
  async #fundHere(request: Fund): Promise<Funded> {
    const { fundEveryMs = 0, now } = this.#parts;
    const backing = this.#own?.backing;
    if (backing === undefined) throw new Error('settlement now runs on another replica');
    const last = backing.funded().findLast(({ user }) => user === request.user);
    const nextMs = (last?.atMs ?? -Infinity) + fundEveryMs;
    if (nextMs > now()) return { nextMs };
    return { txHash: await backing.fund(request) };
  }
}

function unavailable(why: string): PermitAnswer {
  return { ok: false, error: refusal('unavailable', [], { why }, HTTP_UNAVAILABLE) };
}
