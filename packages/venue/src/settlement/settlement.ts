import { bridgeView, type OpenBridgeCommand } from '@oddlot/engine';
import { address } from '@oddlot/units';
import type { Logger } from '../operate/log.ts';
import type { Replica } from '../replica/replica.ts';
import type { ChainClient, EndpointStatus } from './chain-client.ts';
import { chainFault } from './chain-error.ts';
import type { BridgeContracts } from './deposit-logs.ts';
import type { DepositWatcher, WatchStatus } from './deposit-watcher.ts';
import type { FaucetBacking } from './faucet-backing.ts';
import { ForeignPayoutError } from './foreign-payout.ts';
import type { PayoutsStatus, PayoutWorker } from './payout/payout-worker.ts';
import type { PermitDeposits } from './permit-deposits.ts';
import type { Relayer } from './relayer.ts';
import type { Vitals, VitalsWatch } from './vitals.ts';

/** Something that has work to do on the chain now and then. What it throws is told and tried again. */
export type SettlementWorker = { step(): Promise<unknown> };

export type SettlementParts = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly watcher: DepositWatcher;
  readonly replica: Replica;
  readonly log: Logger;
  readonly everyMs: number;
  /** Absent where the venue has no key to send with. */
  readonly relayer?: Relayer | undefined;
  readonly permits?: PermitDeposits | undefined;
  readonly payouts: PayoutWorker;
  readonly vitals: VitalsWatch;
  /** Where the chain's money is the venue's own. */
  readonly minter?: Relayer | undefined;
  readonly backing?: FaucetBacking | undefined;
  /** Lets go of what it runs on. */
  readonly close: () => Promise<void>;
};

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

const BACK_OFF_MAX_MS = 30_000;
/** Rounds until the chain is looked at again. */
const VERIFIED_ROUNDS = 240;

/**
 * The venue's side of the settlement chain, run by one process at a time: tells the engine which
 * contracts it has, sends what was asked for, credits deposits, stands behind test money. The order of
 * a round matters: what was sent is seen as mined before the watcher reads, and read before it counts.
 */
export class Settlement {
  readonly #parts: SettlementParts;
  readonly #workers: SettlementWorker[];
  #timer: NodeJS.Timeout | undefined = undefined;
  #round: Promise<void> = Promise.resolve();
  #isRunning = false;
  #failures = 0;
  #roundsToVerify = 0;
  #toldState = 'ok';

  constructor(parts: SettlementParts) {
    this.#parts = parts;
    const { backing, minter, payouts, relayer, vitals, watcher } = parts;
    const all: readonly (SettlementWorker | undefined)[] = [relayer, minter, watcher, backing];
    this.#workers = [...all.filter((worker) => worker !== undefined), payouts, vitals];
  }

  get client(): ChainClient {
    return this.#parts.client;
  }

  get contracts(): BridgeContracts {
    return this.#parts.contracts;
  }

  get relayer(): Relayer | undefined {
    return this.#parts.relayer;
  }

  get permits(): PermitDeposits | undefined {
    return this.#parts.permits;
  }

  get payouts(): PayoutWorker {
    return this.#parts.payouts;
  }

  /** Test money on the chain itself, where the chain is the venue's own. */
  get backing(): FaucetBacking | undefined {
    return this.#parts.backing;
  }

  get status(): SettlementStatus {
    const { client, contracts, minter, payouts, relayer, vitals, watcher } = this.#parts;
    const waiting = [relayer, minter].flatMap((each) => each?.waiting() ?? []);
    return {
      chainId: client.chainId,
      ...contracts,
      watch: watcher.status,
      endpoints: client.endpoints,
      payouts: payouts.status,
      vitals: vitals.last,
      waiting: waiting.map(({ attempts, key, nonce, trouble }) => {
        return { key, nonce, trouble, txHash: attempts.at(-1)?.txHash };
      }),
    };
  }

  /** Others that work on the chain take their turn at the end of each round. */
  add(worker: SettlementWorker): void {
    this.#workers.push(worker);
  }

  /** Resolves when the engine knows the bridge; the chain may be slow, and nobody waits for it. */
  async start(): Promise<void> {
    await this.#openBridge();
    this.#isRunning = true;
    this.#next(0);
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async close(): Promise<void> {
    await this.stop();
    const { close, minter, payouts, relayer } = this.#parts;
    payouts.close();
    relayer?.close();
    minter?.close();
    await close();
  }

  async #openBridge(): Promise<void> {
    const { client, contracts, replica } = this.#parts;
    const command: OpenBridgeCommand = {
      type: 'openBridge',
      chainId: client.chainId,
      bridge: address(contracts.bridge),
      token: address(contracts.token),
    };
    const known = bridgeView(replica.state);
    const isKnown =
      known?.chainId === command.chainId &&
      known.contract === command.bridge &&
      known.token === command.token;
    if (!isKnown) await replica.propose(command);
  }

  #next(waitMs: number): void {
    if (!this.#isRunning) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#runRound();
    }, waitMs);
  }

  /** Now and then once more: the name of an endpoint may lead elsewhere by now. */
  async #isVerified(): Promise<boolean> {
    if (this.#roundsToVerify > 0) {
      this.#roundsToVerify -= 1;
      return true;
    }
    const { payouts, watcher } = this.#parts;
    const isRight = await watcher.verify();
    if (isRight) this.#roundsToVerify = VERIFIED_ROUNDS;
    const { error = '', foreign } = watcher.status;
    if (foreign !== undefined) payouts.halt(error);
    return isRight;
  }

  /** What the operator should know without looking for it. */
  #tellState(): void {
    const { log, watcher } = this.#parts;
    const { error, state } = watcher.status;
    if (state === this.#toldState) return;
    this.#toldState = state;
    if (state === 'ok') log.info({ state }, 'deposits are credited again');
    else
      log.error(
        { state, why: error },
        'deposits wait: the settlement chain is not as it should be',
      );
  }

  async #runRound(): Promise<void> {
    const { everyMs, log } = this.#parts;
    let hasMore = false;
    let hasFailed = !(await this.#isVerified());
    for (const worker of hasFailed ? [] : this.#workers) {
      if (!this.#isRunning) return;
      try {
        hasMore = (await worker.step()) === true || hasMore;
      } catch (error) {
        hasFailed = true;
        // Nobody pays by a log that is not this bridge's; from here on that is found before each round.
        if (error instanceof ForeignPayoutError) this.#roundsToVerify = 0;
        log.warn({ why: chainFault(error) }, 'the settlement chain could not be worked on');
        if (error instanceof ForeignPayoutError) break;
      }
    }
    this.#tellState();
    // Who is stopped for good asks the chain nothing more, and tells those that come what it is.
    const isStopped = this.#parts.watcher.status.foreign !== undefined;
    this.#failures = hasFailed && !isStopped ? this.#failures + 1 : 0;
    const backOffMs = Math.min(BACK_OFF_MAX_MS, everyMs * 2 ** Math.min(this.#failures, 16));
    this.#next(hasMore ? 0 : backOffMs);
  }
}
