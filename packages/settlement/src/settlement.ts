import type { BridgeContracts } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import type { Relayer } from '@oddlot/custody/relayer';
import { bridgeView, type OpenBridgeCommand } from '@oddlot/engine';
import type { Logger } from '@oddlot/host/log';
import { address } from '@oddlot/units';
import type { Replica } from '@oddlot/replica/replica';
import type { DepositWatcher } from './deposit-watcher.ts';
import type { FaucetBacking } from './faucet-backing.ts';
import { ForeignPayoutError } from './watch-file.ts';
import {
  briefOf,
  type RunPermission,
  type MoneySide,
  type SettlementBrief,
  type SettlementStatus,
  type SettlementWorker,
  type VitalsWatch,
  WorkerLane,
} from './money-side.ts';
import type { PayoutWorker } from './payout/payout-worker.ts';
import type { PermitDeposits } from './permit-deposits.ts';

export type SettlingReplica = Pick<Replica, 'propose' | 'state'>;

type SettlementParts = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly watcher: DepositWatcher;
  readonly replica: SettlingReplica;
  readonly log: Logger;
  readonly everyMs: number;
  readonly relayer?: Relayer | undefined;
  readonly permits?: PermitDeposits | undefined;
  readonly payouts: PayoutWorker;
  readonly vitals: VitalsWatch;
  /** Set if the venue issues the chain's token. */
  readonly minter?: Relayer | undefined;
  readonly backing?: FaucetBacking | undefined;
  readonly close: () => Promise<void>;
};

/** The number of rounds between verifications of the chain. */
const VERIFIED_ROUNDS = 240;

/**
 * The venue's side of the settlement chain, run by one process at a time. It registers the
 * contracts in the engine, sends requested transactions, credits deposits, pays out, and backs test
 * funds. Each task has its own lane, so that a hanging validator does not delay deposits. Within a
 * lane, the order matters: minted test tokens must be mined before the watcher reads them, and read
 * before they count.
 */
export class Settlement implements MoneySide {
  readonly #parts: SettlementParts;
  readonly #deposits: WorkerLane;
  readonly #lanes: WorkerLane[];
  #isRunning = false;
  #isRight = false;
  #roundsToVerify = 0;
  #reportedState = 'ok';

  constructor(parts: SettlementParts) {
    this.#parts = parts;
    const { backing, everyMs, log, minter, payouts, relayer, vitals, watcher } = parts;
    this.#deposits = new WorkerLane({
      workers: [minter, watcher, backing].filter((worker) => worker !== undefined),
      everyMs,
      log,
      mayRun: async () => ((await this.#isVerified()) ? 'yes' : 'failed'),
      onFailure: (error) => this.#judge(error),
      afterRound: () => this.#logState(),
    });
    this.#lanes = [this.#deposits];
    for (const worker of [relayer, payouts, vitals]) if (worker !== undefined) this.add(worker);
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

  get brief(): SettlementBrief {
    return briefOf(this.status);
  }

  /** Adds a worker that runs in its own lane. */
  add(worker: SettlementWorker): void {
    const { everyMs, log } = this.#parts;
    const mayRun = (): RunPermission => (this.#isRight ? 'yes' : 'wait');
    const lane = new WorkerLane({ workers: [worker], everyMs, log, mayRun });
    this.#lanes.push(lane);
    if (this.#isRunning) lane.start();
  }

  /**
   * Resolves when the bridge is registered in the engine. The chain can be slow, so no other task
   * waits for it.
   */
  async start(): Promise<void> {
    await this.#openBridge();
    this.#isRunning = true;
    for (const lane of this.#lanes) lane.start();
  }

  /** Resolves when no work is in progress. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#lanes.map((lane) => lane.stop()));
  }

  async close(): Promise<void> {
    await this.stop();
    const { close, minter, payouts, relayer, watcher } = this.#parts;
    watcher.close();
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

  /**
   * Verifies the chain periodically, because an endpoint's host name may meanwhile have come to
   * refer to a different machine.
   */
  async #isVerified(): Promise<boolean> {
    if (this.#roundsToVerify > 0) {
      this.#roundsToVerify -= 1;
      return true;
    }
    const { payouts, watcher } = this.#parts;
    const isRight = await watcher.verify();
    if (isRight) this.#roundsToVerify = VERIFIED_ROUNDS;
    this.#isRight = isRight;
    const { error = '', foreign } = watcher.status;
    if (foreign !== undefined) await payouts.halt(error);
    return isRight;
  }

  /**
   * Stops all work if a foreign payout is found, because the venue must not pay from a log that
   * does not belong to this bridge. Each later round checks this first.
   */
  #judge(error: unknown): boolean {
    if (!(error instanceof ForeignPayoutError)) return false;
    this.#isRight = false;
    this.#roundsToVerify = 0;
    return true;
  }

  #logState(): void {
    const { log, watcher } = this.#parts;
    const { error, foreign, state } = watcher.status;
    // A permanently stopped watcher does not query the chain, so its lane keeps its normal interval
    // and continues to report the reason.
    if (foreign !== undefined) this.#deposits.forgive();
    if (state === this.#reportedState) return;
    this.#reportedState = state;
    if (state === 'ok') log.info({ state }, 'crediting of deposits resumed');
    else
      log.error(
        { state, why: error },
        'deposits are on hold because of a settlement chain problem',
      );
  }
}
