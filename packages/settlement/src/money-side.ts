import { type BridgeContracts, readBridge } from '@oddlot/custody/bridge-contract';
import { type ChainClient, chainFault, type EndpointStatus } from '@oddlot/custody/chain';
import type { Lease } from '@oddlot/replica/lease';
import type { FaucetBacking } from './faucet-backing.ts';
import type { PayoutProgress, PayoutsStatus } from './payout/payout-worker.ts';
import type { PermitDeposits } from './permit-deposits.ts';
import type { WatchStatus } from './deposit-watcher.ts';
import { formatEther, type Hex } from 'viem';
import type { Logger } from '@oddlot/host/log';

/**
 * The settlement chain as seen by the other parts of a venue, regardless of which process transacts
 * on the chain.
 */
export type MoneySide = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  /** The full status; undefined if another replica transacts on the chain. */
  readonly status: SettlementStatus | undefined;
  /**
   * The summary from this process or from the holder of the settlement lease; undefined if none was
   * received.
   */
  readonly brief: SettlementBrief | undefined;
  readonly permits: Pick<PermitDeposits, 'deposit'> | undefined;
  readonly payouts: {
    progressOf(
      withdrawalId: number,
    ): PayoutProgress | undefined | Promise<PayoutProgress | undefined>;
  };
  /** The source of test funds on the chain itself, if the venue runs the chain itself. */
  readonly backing: Pick<FaucetBacking, 'fund' | 'funded' | 'contracts'> | undefined;
  add(worker: SettlementWorker): void;
  start: Parameters<Lease['hold']>[1];
  stop(): Promise<void>;
  close(): Promise<void>;
};

/** The status of the settlement chain in the process that transacts on it. */
export type SettlementStatus = {
  readonly chainId: number;
  readonly bridge: string;
  readonly token: string;
  readonly watch: WatchStatus;
  readonly endpoints: readonly EndpointStatus[];
  readonly payouts: PayoutsStatus;
  readonly vitals: SettlementBalances | undefined;
  /** The venue's transactions not yet finally confirmed, with the reason they are waiting. */
  readonly waiting: readonly {
    readonly key: string;
    readonly nonce: number;
    readonly txHash: string | undefined;
    readonly trouble: string | undefined;
  }[];
};

export type SettlementBrief = {
  readonly chainId: number;
  readonly watch: Pick<SettlementStatus['watch'], 'state' | 'head' | 'block' | 'isCurrent'>;
  readonly isPaused: boolean | undefined;
};

export function briefOf({ chainId, vitals, watch }: SettlementStatus): SettlementBrief {
  const { block, head, isCurrent, state } = watch;
  return { chainId, watch: { state, head, block, isCurrent }, isPaused: vitals?.isPaused };
}

/** The preconditions for payouts and permits. */
export type SettlementBalances = {
  readonly isPaused: boolean;
  readonly bridgeMicroUsdc: string;
  /** The address of the sending key and its ether balance; undefined if there is no key. */
  readonly relayer: { readonly address: Hex; readonly ether: string } | undefined;
};

type VitalsWatchOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly relayer: Hex | undefined;
  readonly now: () => number;
};

const EVERY_MS = 15_000;

/**
 * Refreshes the balances at intervals. They are only for display to the operator; no other code
 * depends on them.
 */
export class VitalsWatch {
  readonly #options: VitalsWatchOptions;
  #last: SettlementBalances | undefined = undefined;
  #atMs = -Infinity;

  constructor(options: VitalsWatchOptions) {
    this.#options = options;
  }

  get last(): SettlementBalances | undefined {
    return this.#last;
  }

  async step(): Promise<void> {
    const { client, contracts, now, relayer } = this.#options;
    if (Math.abs(now() - this.#atMs) < EVERY_MS) return;
    this.#atMs = now();
    const { balance, isPaused } = await readBridge(client, contracts);
    const ether = relayer === undefined ? undefined : await client.balanceOf(relayer);
    this.#last = {
      isPaused,
      bridgeMicroUsdc: String(balance),
      relayer:
        relayer === undefined || ether === undefined
          ? undefined
          : { address: relayer, ether: formatEther(ether) },
    };
  }
}

/** A periodic task on the chain. If a step throws, the error is reported and the step retried. */
export type SettlementWorker = { step(): Promise<unknown> };

export type RunPermission = 'yes' | 'wait' | 'failed';

type LaneOptions = {
  /** Workers whose steps depend on each other, run in this order. No other lane waits for them. */
  readonly workers: readonly SettlementWorker[];
  readonly everyMs: number;
  readonly log: Logger;
  /**
   * Called before each round. The workers run only if it returns `yes`. After failures, it is
   * called at growing intervals.
   */
  readonly mayRun: () => RunPermission | Promise<RunPermission>;
  /** Receives errors thrown by a step. If it returns true, the round stops. */
  readonly onFailure?: (error: unknown) => boolean;
  readonly afterRound?: () => void;
};

const BACK_OFF_MAX_MS = 30_000;

/**
 * Runs workers in rounds: immediately while more work is available, at growing intervals while they
 * fail.
 */
export class WorkerLane {
  readonly #options: LaneOptions;
  #timer: NodeJS.Timeout | undefined = undefined;
  #round: Promise<void> = Promise.resolve();
  #isRunning = false;
  #failures = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.#next(0);
  }

  /** Resolves when no step is in progress. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Resets the retry interval as if no step had failed. */
  forgive(): void {
    this.#failures = 0;
  }

  #next(waitMs: number): void {
    if (!this.#isRunning) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#runRound();
    }, waitMs);
  }

  async #runRound(): Promise<void> {
    const { afterRound, everyMs, log, mayRun, onFailure, workers } = this.#options;
    let hasMore = false;
    const may = await mayRun();
    let hasFailed = may === 'failed';
    for (const worker of may === 'yes' ? workers : []) {
      if (!this.#isRunning) return;
      try {
        hasMore = (await worker.step()) === true || hasMore;
      } catch (error) {
        hasFailed = true;
        log.warn({ why: chainFault(error) }, 'settlement step failed');
        if (onFailure?.(error) === true) break;
      }
    }
    this.#failures = hasFailed ? this.#failures + 1 : 0;
    afterRound?.();
    const backOffMs = Math.min(BACK_OFF_MAX_MS, everyMs * 2 ** Math.min(this.#failures, 16));
    this.#next(hasMore ? 0 : backOffMs);
  }
}
