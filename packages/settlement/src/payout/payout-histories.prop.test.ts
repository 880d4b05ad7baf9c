import type { EndpointFault } from '@oddlot/testing/custody';
import { checkInvariants } from '@oddlot/engine';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { testTimeoutMs } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import {
  CONFIRMATIONS,
  DESTINATIONS,
  CONVERGE_MS_MAX,
  PayoutWorld,
  type ValidatorFault,
} from '@oddlot/testing/venue/payout-world';
import { TEXTS } from './payout-book.ts';

/**
 * Tests R-withdraw: whatever fails between a withdrawal request and its end, the withdrawal is
 * still paid once or returned once, and none remains stuck without an error.
 */

type Step =
  | { readonly does: 'withdraw'; readonly user: number; readonly to: number; readonly usdc: number }
  | {
      readonly does:
        | 'round'
        | 'mine'
        | 'settle'
        | 'drop'
        | 'unpause'
        | 'pause'
        | 'refill'
        | 'forget'
        | 'replace';
    }
  | { readonly does: 'wait'; readonly seconds: number }
  | { readonly does: 'reorg'; readonly depth: number; readonly rest: 'pool' | 'drop' }
  | { readonly does: 'kill'; readonly calls: number }
  | { readonly does: 'endpoint'; readonly at: number; readonly fault: EndpointFault }
  | { readonly does: 'validator'; readonly at: number; readonly fault: ValidatorFault }
  | { readonly does: 'blacklist' | 'unBlacklist'; readonly to: number }
  | { readonly does: 'guardian' | 'stranger'; readonly nth: number }
  | { readonly does: 'fees'; readonly factor: number };

type History = {
  readonly endpoints: number;
  readonly funding: number;
  readonly steps: readonly Step[];
};

/** Most steps must succeed; otherwise no history would get far. */
const WELL = ['none', 'none', 'none', 'none', 'none'] as const;
const small = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('withdraw'),
      user: small,
      to: small,
      usdc: fc.constantFrom(2, 50, 50, 99_999, 150_000),
    }),
  },
  { weight: 14, arbitrary: fc.record({ does: fc.constantFrom('round', 'settle', 'settle') }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('mine') }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('drop', 'replace', 'forget', 'refill') }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('pause', 'unpause') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('wait'),
      seconds: fc.constantFrom(2, 31, 70, 300, -200),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('reorg'),
      depth: fc.constantFrom(1, 2, 2, 4, 7),
      rest: fc.constantFrom('pool', 'drop'),
    }),
  },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('kill'), calls: fc.nat({ max: 80 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('endpoint'),
      at: fc.nat({ max: 1 }),
      fault: fc.constantFrom<EndpointFault>(...WELL, 'down', 'errors', 'slow', 'stale', 'false'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('validator'),
      at: small,
      fault: fc.constantFrom<ValidatorFault>('none', 'none', 'down', 'refuses'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('blacklist', 'unBlacklist'), to: small }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('guardian', 'stranger'),
      nth: fc.nat({ max: 9 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('fees'), factor: fc.constantFrom(1, 20, 300) }),
  },
);

const history: fc.Arbitrary<History> = fc.record({
  endpoints: fc.constantFrom(1, 2, 2),
  funding: fc.constantFrom(0, 100, 10_000_000, 10_000_000, 10_000_000),
  steps: fc.array(step, { minLength: 15, maxLength: 45 }),
});

const RANKS = { held: 0, signed: 1, sent: 2 } as const;

class Play {
  readonly #world: PayoutWorld;
  readonly #ranks = new Map<number, number>();
  #hasForgotten = false;

  constructor(world: PayoutWorld) {
    this.#world = world;
  }

  async run({ funding, steps }: History): Promise<void> {
    const world = this.#world;
    if (funding > 0) await world.mint(BigInt(funding));
    await world.chain.mine();
    for (const each of steps) {
      await this.#take(each);
      this.#checkStatuses();
    }
    await this.#checkErrorsReported();
    await this.#endFaults();
    await this.#checkEnd();
  }

  async #take(taken: Step): Promise<void> {
    const world = this.#world;
    const { chain } = world;
    switch (taken.does) {
      case 'withdraw':
        return world.withdraw(taken.user, taken.to, taken.usdc);
      case 'round':
        return world.round();
      case 'settle':
        for (let n = 0; n < CONFIRMATIONS; n++) {
          await world.round();
          await chain.mine();
        }
        return world.round();
      case 'mine':
        await chain.mine();
        return undefined;
      case 'wait':
        world.nowMs += taken.seconds * 1_000;
        return undefined;
      case 'drop': {
        const [first] = world.relayer.waiting();
        const txHash = first?.attempts.at(-1)?.txHash;
        if (txHash !== undefined) await chain.drop(txHash);
        return undefined;
      }
      case 'replace':
        return world.useRelayerNonce();
      case 'reorg':
        return this.#reorg(taken);
      case 'kill':
        return world.kill(taken.calls);
      case 'forget':
        return this.#forget();
      case 'endpoint':
        // A single endpoint with false data would be trusted, because no other endpoint contradicts
        // it.
        if (world.faults.length > 1 || taken.fault !== 'false')
          world.faults[taken.at % world.faults.length] = taken.fault;
        if (!world.faults.some((fault) => fault !== 'false')) world.faults.fill('none');
        return undefined;
      case 'validator':
        world.validatorFaults[taken.at] = taken.fault;
        return undefined;
      case 'blacklist':
      case 'unBlacklist':
        return world.list(taken.does, DESTINATIONS[taken.to]!);
      case 'pause':
      case 'unpause':
        return world.pause(taken.does);
      case 'refill':
        return world.mint(1_000n);
      case 'guardian':
      case 'stranger': {
        const open = [...world.replica.state.withdrawals.keys()];
        const id = open[taken.nth % Math.max(1, open.length)];
        if (id === undefined) return undefined;
        return taken.does === 'guardian' ? world.cancelQueued(id) : world.payAsThirdParty(id);
      }
      case 'fees':
        world.feeFactor = BigInt(taken.factor);
        return undefined;
      default:
        return taken satisfies never;
    }
  }

  async #reorg({ depth, rest }: { readonly depth: number; readonly rest: 'pool' | 'drop' }) {
    const isDeep = depth >= CONFIRMATIONS && !this.#hasForgotten;
    if (isDeep) this.#world.hadDeepReorg = true;
    await this.#world.chain.reorg(isDeep ? depth : Math.min(depth, CONFIRMATIONS - 1), { rest });
  }

  /**
   * Deletes the records, unless there was a deep reorganisation. Recovering from one requires them,
   * because only the records show which payouts were settled.
   */
  #forget(): void {
    if (this.#world.hadDeepReorg) return;
    this.#hasForgotten = true;
    this.#ranks.clear();
    this.#world.forget();
  }

  /** Checks that a status never moves backwards, even if the chain does. */
  #checkStatuses(): void {
    const { replica, worker } = this.#world;
    for (const id of replica.state.withdrawals.keys()) {
      const progress = worker.progressOf(id);
      if (progress === undefined) continue;
      const rank = RANKS[progress.status];
      expect(rank).toBeGreaterThanOrEqual(this.#ranks.get(id) ?? 0);
      this.#ranks.set(id, rank);
    }
  }

  /**
   * Checks that an open withdrawal either is pending in a transaction that a block can include, or
   * reports an error.
   */
  async #checkErrorsReported(): Promise<void> {
    const world = this.#world;
    for (let n = 0; n < 3; n++) {
      await world.round();
      world.nowMs += 100_000;
    }
    const { replica, relayer, worker } = world;
    const sent = relayer.waiting().map((record) => record.key);
    for (const id of replica.state.withdrawals.keys()) {
      const progress = worker.progressOf(id);
      const isUnderWay = sent.some((name) => name.split(':')[1]?.split('.').includes(String(id)));
      const isReported = progress?.error !== undefined || isUnderWay;
      expect(isReported ? undefined : { id, progress, open: worker.status }).toBeUndefined();
    }
  }

  /** Ends all faults. Every withdrawal must then complete automatically. */
  async #endFaults(): Promise<void> {
    const world = this.#world;
    world.faults.fill('none');
    world.validatorFaults.fill('none');
    world.feeFactor = 1n;
    await world.mint(50_000_000n);
    await world.chain.mine();
    // A withdrawal that was settled as paid and then dropped by the chain can only be paid.
    if (world.hadDeepReorg) for (const each of DESTINATIONS) await world.list('unBlacklist', each);
    // Payouts to one destination are returned one after another, each after twice as long as the
    // previous one.
    for (let n = 0; n < 800; n++) {
      // A pause transaction may have been waiting behind a nonce gap.
      if (await world.isPaused()) await world.pause('unpause');
      await world.round();
      await world.chain.mine();
      world.nowMs += CONVERGE_MS_MAX / 4;
      const { open, troubled } = world.worker.status;
      const isOver = troubled.every(({ error }) => error !== undefined && FINAL.includes(error));
      if (world.replica.state.withdrawals.size === 0 && (open === 0 || isOver)) break;
    }
    // A reorganisation may become visible only now.
    for (let n = 0; n < CONFIRMATIONS + 2; n++) {
      await world.round();
      await world.chain.mine();
      world.nowMs += CONVERGE_MS_MAX / 4;
    }
  }

  async #checkEnd(): Promise<void> {
    const { hadDeepReorg, problems, replica, settled, worker } = this.#world;
    expect(problems).toEqual([]);
    const { state } = replica;
    checkInvariants(state);
    const open = [...state.withdrawals.keys()];
    expect(open.map((id) => [id, worker.progressOf(id)])).toEqual([]);
    const due = new Map<Hex, bigint>();
    for (let id = 1; id < state.nextWithdrawalId; id++) {
      const onChain = await this.#world.stateOf(id);
      const isPaid = settled.get(id);
      const troubleText = worker.status.troubled.find(
        ({ withdrawalId }) => withdrawalId === id,
      )?.error;
      // Only a chain that drops confirmed blocks can cause both outcomes, and this must be
      // reported.
      const isExplained = hadDeepReorg && troubleText !== undefined && FINAL.includes(troubleText);
      if (!isExplained) expect([id, onChain]).toEqual([id, isPaid === true ? 2 : 3]);
      const asked = this.#world.asked.get(id);
      if (onChain !== 2 || asked === undefined) continue;
      due.set(asked.destination, (due.get(asked.destination) ?? 0n) + asked.usd);
    }
    for (const destination of DESTINATIONS) {
      expect(await this.#world.balanceOf(destination)).toBe(due.get(destination) ?? 0n);
    }
    const { troubled } = worker.status;
    expect(troubled.filter(({ error }) => !hadDeepReorg || !FINAL.includes(error ?? ''))).toEqual(
      [],
    );
  }
}

/**
 * These errors cannot be resolved automatically, because a deep reorganisation has reversed a
 * confirmed transaction.
 */
const FINAL: readonly string[] = [TEXTS.paidAfterReturn, TEXTS.otherPayout];

async function play(world: PayoutWorld, taken: History): Promise<void> {
  try {
    await new Play(world).run(taken);
  } finally {
    await world.close();
  }
}

const runs = Number(process.env['FUZZ_RUNS'] ?? 10);

test(
  'R-withdraw: in random fault histories, each withdrawal is paid once or returned once',
  async () => {
    await fc.assert(
      fc.asyncProperty(history, async (taken) =>
        play(await PayoutWorld.model(taken.endpoints), taken),
      ),
      { numRuns: 5 * runs },
    );
  },
  testTimeoutMs(600_000),
);

test(
  'R-withdraw: on the real contracts as well, each withdrawal is paid once or returned once',
  async () => {
    await fc.assert(
      fc.asyncProperty(history, async (taken) =>
        play(await PayoutWorld.real(taken.endpoints), taken),
      ),
      { numRuns: Math.ceil(runs / 4) },
    );
  },
  testTimeoutMs(600_000),
);
