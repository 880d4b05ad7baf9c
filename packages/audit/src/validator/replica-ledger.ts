import { type OwedWithdrawal, type OwnLedger, SigningRefusal } from '@oddlot/custody/validator';
import { doWithdrawalsWait, nextWithdrawalId, openWithdrawals } from '@oddlot/engine';
import { findingText } from '../checks/finding.ts';
import type { LogFollower } from '../follow/log-follower.ts';
import type { AuditedReplica } from '../replica/audited-replica.ts';
import type { PinnedHead } from './own-snapshots.ts';
import { type AppliedBlock, authorityOf, isRequest, type Projection } from '@oddlot/replica/block';
import { z } from 'zod';

type ReplicaLedgerOptions = {
  readonly replica: Pick<AuditedReplica, 'counts' | 'replica'>;
  readonly follower: Pick<LogFollower, 'finding' | 'lag' | 'progress' | 'waits'>;
  readonly requests: Pick<WithdrawalRequests, 'of'>;
  readonly pinned: Pick<PinnedHead, 'head' | 'pin'>;
  /** The maximum fee of a withdrawal, in micro-USDC. */
  readonly feeMax: bigint;
  readonly stop: () => Promise<void>;
  /**
   * How long to wait for a withdrawal that the venue already has but this replica does not, in
   * milliseconds.
   */
  readonly patienceMs?: number;
};

const PATIENCE_MS = 3_000;

/**
 * Liabilities as computed by the validator's own replica, without trusting the venue (R-withdraw).
 */
export class ReplicaLedger implements OwnLedger {
  readonly #options: ReplicaLedgerOptions;

  constructor(options: ReplicaLedgerOptions) {
    this.#options = options;
  }

  /** Returns a withdrawal from the replica's state, or throws a SigningRefusal. */
  async unpaidWithdrawal(user: string, withdrawalId: number): Promise<OwedWithdrawal> {
    await this.#reach(withdrawalId);
    const { pinned } = this.#options;
    const { replica } = this.#options.replica;
    if (!this.#isBack) {
      const at = `block ${replica.head.height} of ${pinned.head?.height}`;
      throw new SigningRefusal(
        503,
        `its replica has not yet reached the block of its last signature: ${at}`,
      );
    }
    const { withdrawals } = openWithdrawals(replica.state);
    const found = withdrawals.find((each) => each.withdrawalId === withdrawalId);
    const { height } = replica.head;
    if (found === undefined) {
      const isOver = withdrawalId < nextWithdrawalId(replica.state);
      const why = isOver
        ? `withdrawal ${withdrawalId} is already settled`
        : this.#unknown(withdrawalId);
      throw new SigningRefusal(
        isOver ? 409 : 404,
        `${why} at block ${height} of the validator's replica`,
      );
    }
    if (found.user !== user) {
      throw new SigningRefusal(
        409,
        `withdrawal ${withdrawalId} belongs to ${found.user}, not to ${user}`,
      );
    }
    const held = replica.state.withdrawals.get(withdrawalId);
    const amount = held?.amount ?? found.pays;
    if (amount - found.pays > this.#options.feeMax) {
      throw new SigningRefusal(
        409,
        `the venue keeps too high a fee for withdrawal ${withdrawalId}`,
      );
    }
    const { destination, pays: usd, requestedMs: timeMs } = found;
    return { destination, usd, amount, timeMs, isReturned: false };
  }

  /** Throws if withdrawals are on hold according to the replica's state (R-deficit). */
  assertPayable(): Promise<void> {
    this.#assertStands();
    if (!doWithdrawalsWait(this.#options.replica.replica.state)) return Promise.resolve();
    throw new SigningRefusal(503, 'withdrawals are on hold: the insurance fund is far below zero');
  }

  /**
   * Returns the evidence for a payout. This replica derived and executed the request itself, so its
   * signer and recipient have been checked.
   */
  evidenceFor({
    withdrawalId,
  }: {
    readonly withdrawalId: string;
  }): ReturnType<OwnLedger['evidenceFor']> {
    this.#assertStands();
    const { pinned, replica, requests } = this.#options;
    const request = requests.of(Number(withdrawalId));
    if (request === undefined) {
      throw new SigningRefusal(409, `withdrawal ${withdrawalId} has no request`);
    }
    pinned.pin(replica.replica.head);
    return Promise.resolve({ request, signerChanges: [] });
  }

  health(): ReturnType<OwnLedger['health']> {
    const { follower, replica } = this.#options;
    const { hash, height, timeMs } = replica.replica.head;
    const { finding, lag, waits } = follower;
    return {
      height,
      hash,
      timeMs,
      lag,
      waits: waits ?? null,
      finding: finding === undefined ? null : findingText(finding),
      checked: replica.counts ?? null,
    };
  }

  stop(): Promise<void> {
    return this.#options.stop();
  }

  /**
   * Waits for a withdrawal. A venue requests a signature as soon as it has the withdrawal, and its
   * log arrives a moment later.
   */
  async #reach(withdrawalId: number): Promise<void> {
    const { follower, patienceMs = PATIENCE_MS, replica } = this.#options;
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      this.#assertStands();
      if (nextWithdrawalId(replica.replica.state) > withdrawalId && this.#isBack) return;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return;
      await follower.progress(leftMs);
    }
  }

  /** True once the replica has again reached the block of its last signature. */
  get #isBack(): boolean {
    const { pinned, replica } = this.#options;
    return replica.replica.head.height >= (pinned.head?.height ?? 0);
  }

  #unknown(withdrawalId: number): string {
    const { waits } = this.#options.follower;
    const why = waits === undefined ? '' : ` (waiting: ${waits})`;
    return `withdrawal ${withdrawalId} was never requested${why}`;
  }

  /** Throws if the log is invalid, because nothing may then be signed. */
  #assertStands(): void {
    const { finding } = this.#options.follower;
    if (finding === undefined) return;
    throw new SigningRefusal(409, `the log of the venue is not valid: ${findingText(finding)}`);
  }
}

const Dumped = z.array(z.tuple([z.int(), z.string()]));

/** The requests for unsettled withdrawals, as many as there are in the state. */
export class WithdrawalRequests implements Projection {
  readonly name = 'withdrawalRequests';
  readonly version = 1;
  readonly #requests = new Map<number, string>();

  of(withdrawalId: number): string | undefined {
    return this.#requests.get(withdrawalId);
  }

  onBlock({ commands, result }: AppliedBlock): void {
    for (const event of result.events) {
      if (event.type !== 'withdrawalChanged') continue;
      if (event.status !== 'pending') {
        this.#requests.delete(event.withdrawalId);
        continue;
      }
      const command = commands[event.commandIndex]?.command;
      if (command === undefined || !isRequest(command)) continue;
      this.#requests.set(event.withdrawalId, authorityOf(command).txHash);
    }
  }

  dump(): unknown {
    return [...this.#requests];
  }

  restore(data: unknown): void {
    this.reset();
    for (const [withdrawalId, request] of Dumped.parse(data)) {
      this.#requests.set(withdrawalId, request);
    }
  }

  reset(): void {
    this.#requests.clear();
  }
}
