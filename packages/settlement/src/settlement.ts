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
  type MayRun,
  type MoneySide,
  type SettlementBrief,
  type SettlementStatus,
  type SettlementWorker,
  type VitalsWatch,
  WorkerLane,
} from './money-side.ts';
import type { PayoutWorker } from './payout/payout-worker.ts';
import type { PermitDeposits } from './permit-deposits.ts';

/** What of a replica is needed here. */
export type SettlingReplica = Pick<Replica, 'propose' | 'state'>;

type SettlementParts = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly watcher: DepositWatcher;
  readonly replica: SettlingReplica;
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

/** Rounds until the chain is looked at again. */
const VERIFIED_ROUNDS = 240;

/**
 * The venue's side of the settlement chain, run by one process at a time: tells the engine which contracts it
 * has, sends what was asked for, credits deposits, pays out, stands behind test money. Each has a lane of its own: a validator
 * that hangs keeps no deposit waiting. The order matters in one: test money that was made is seen as mined before the watcher
 * reads, and read before it counts.
 */
export class Settlement implements MoneySide {
  readonly #parts: SettlementParts;
  readonly #deposits: WorkerLane;
  readonly #lanes: WorkerLane[];
  #isRunning = false;
  /** The chain is the one that is meant, as far as is known. */
  #isRight = false;
  #roundsToVerify = 0;
  #toldState = 'ok';

  constructor(parts: SettlementParts) {
    this.#parts = parts;
    const { backing, everyMs, log, minter, payouts, relayer, vitals, watcher } = parts;
    this.#deposits = new WorkerLane({
      workers: [minter, watcher, backing].filter((worker) => worker !== undefined),
      everyMs,
      log,
      mayRun: async () => ((await this.#isVerified()) ? 'yes' : 'failed'),
      onFailure: (error) => this.#judge(error),
      afterRound: () => this.#tellState(),
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

  get brief(): SettlementBrief {
    return briefOf(this.status);
  }

  /** Others that work on the chain have lanes of their own. */
  add(worker: SettlementWorker): void {
    const { everyMs, log } = this.#parts;
    const mayRun = (): MayRun => (this.#isRight ? 'yes' : 'wait');
    const lane = new WorkerLane({ workers: [worker], everyMs, log, mayRun });
    this.#lanes.push(lane);
    if (this.#isRunning) lane.start();
  }

  /** Resolves when the engine knows the bridge; the chain may be slow, and nobody waits for it. */
  async start(): Promise<void> {
    await this.#openBridge();
    this.#isRunning = true;
    for (const lane of this.#lanes) lane.start();
  }

  /** Resolves when nothing is under way any more. */
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

  /** Now and then once more: the name of an endpoint may lead elsewhere by now. */
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

  /** Nobody pays by a log that is not this bridge's; from here on that is found before each round. */
  #judge(error: unknown): boolean {
    if (!(error instanceof ForeignPayoutError)) return false;
    this.#isRight = false;
    this.#roundsToVerify = 0;
    return true;
  }

  /** What the operator should know without looking for it. */
  #tellState(): void {
    const { log, watcher } = this.#parts;
    const { error, foreign, state } = watcher.status;
    // Who is stopped for good asks the chain nothing more, and tells those that come what it is.
    if (foreign !== undefined) this.#deposits.forgive();
    if (state === this.#toldState) return;
    this.#toldState = state;
    if (state === 'ok') log.info({ state }, 'crediting of deposits resumed');
    else
      log.error(
        { state, why: error },
        'deposits are on hold because of a settlement chain problem',
      );
  }
}
