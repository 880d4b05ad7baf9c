import { type BridgeContracts, readBridge } from '@oddlot/custody/bridge-contract';
import { type ChainClient, chainFault, type EndpointStatus } from '@oddlot/custody/chain';
import type { Lease } from '@oddlot/replica/lease';
import type { FaucetBacking } from './faucet-backing.ts';
import type { PayoutProgress, PayoutsStatus } from './payout/payout-worker.ts';
import type { PermitDeposits } from './permit-deposits.ts';
import type { WatchStatus } from './deposit-watcher.ts';
import { formatEther, type Hex } from 'viem';
import type { Logger } from '@oddlot/host/log';

/** What the rest of a venue sees of its settlement chain, whichever of its processes works on it. */
export type MoneySide = {
  /** To read by. */
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  /** All that is known here; undefined where another replica works on the chain. */
  readonly status: SettlementStatus | undefined;
  /** The same in a few words, wherever they come from; undefined when nobody has told. */
  readonly brief: SettlementBrief | undefined;
  readonly permits: Pick<PermitDeposits, 'deposit'> | undefined;
  readonly payouts: {
    progressOf(
      withdrawalId: number,
    ): PayoutProgress | undefined | Promise<PayoutProgress | undefined>;
  };
  /** Test money on the chain itself, where the chain is the venue's own. */
  readonly backing: Pick<FaucetBacking, 'fund' | 'funded' | 'contracts'> | undefined;
  /** Others that work on the chain. */
  add(worker: SettlementWorker): void;
  start: Parameters<Lease['hold']>[1];
  stop(): Promise<void>;
  close(): Promise<void>;
};

/** All that who works on the settlement chain knows of it. */
export type SettlementStatus = {
  readonly chainId: number;
  readonly bridge: string;
  readonly token: string;
  readonly watch: WatchStatus;
  readonly endpoints: readonly EndpointStatus[];
  readonly payouts: PayoutsStatus;
  readonly vitals: Vitals | undefined;
  /** Transactions of the venue that no block has for good yet, and what is in their way. */
  readonly waiting: readonly {
    readonly key: string;
    readonly nonce: number;
    readonly txHash: string | undefined;
    readonly trouble: string | undefined;
  }[];
};

/** What everybody may know. */
export type SettlementBrief = {
  readonly chainId: number;
  readonly watch: Pick<SettlementStatus['watch'], 'state' | 'head' | 'block' | 'isCurrent'>;
  readonly isPaused: boolean | undefined;
};

export function briefOf({ chainId, vitals, watch }: SettlementStatus): SettlementBrief {
  const { block, head, isCurrent, state } = watch;
  return { chainId, watch: { state, head, block, isCurrent }, isPaused: vitals?.isPaused };
}

/** What payouts and permits live on. */
export type Vitals = {
  readonly isPaused: boolean;
  /** What the bridge holds, in millionths of a dollar. */
  readonly bridgeMicroUsdc: string;
  /** Of the key that sends; absent without one. */
  readonly relayer: { readonly address: Hex; readonly ether: string } | undefined;
};

type VitalsWatchOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly relayer: Hex | undefined;
  readonly now: () => number;
};

const EVERY_MS = 15_000;

/** Looks now and then, for the operator alone: nothing depends on what it last saw. */
export class VitalsWatch {
  readonly #options: VitalsWatchOptions;
  #last: Vitals | undefined = undefined;
  #atMs = -Infinity;

  constructor(options: VitalsWatchOptions) {
    this.#options = options;
  }

  /** As of the last look; undefined before the first. */
  get last(): Vitals | undefined {
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

/** Something that has work to do on the chain now and then. What it throws is told and tried again. */
export type SettlementWorker = { step(): Promise<unknown> };

export type MayRun = 'yes' | 'wait' | 'failed';

type LaneOptions = {
  /** Whose steps depend on each other's, in this order; nobody else waits for them. */
  readonly workers: readonly SettlementWorker[];
  readonly everyMs: number;
  readonly log: Logger;
  /** Asked before each round: nothing is done unless it says `yes`, and it is asked ever less often when it has failed. */
  readonly mayRun: () => MayRun | Promise<MayRun>;
  /** Told what a step threw; true stops the round. */
  readonly onFailure?: (error: unknown) => boolean;
  readonly afterRound?: () => void;
};

const BACK_OFF_MAX_MS = 30_000;

/** Runs workers round after round, at once while there is more to do, and ever less often while they fail. */
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

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** It is asked as often as if it had not failed. */
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
