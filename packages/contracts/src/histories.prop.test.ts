import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ALICE,
  UNPRIVILEGED_KEY,
  BOB,
  BridgeWorld,
  CAROL,
  DELAY_SECONDS,
  GUARDIAN,
  LARGE_USD,
  MINTER,
  refused,
  THRESHOLD,
  VALIDATORS,
} from '@oddlot/testing/contracts/bridge-world';
import type { Outcome } from '@oddlot/testing/contracts/evm';
import { keyOf, sortKeys, type Key } from '@oddlot/testing/contracts/keys';
import { signPermit } from '@oddlot/testing/contracts/sign';

/**
 * The number of random histories of a bridge. Each is checked using only its events and the token's
 * balances: payouts never exceed deposits, and each withdrawal is paid at most once and never after
 * its cancellation.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 1);
/** The time limit grows with the number of runs. */
const TIMEOUT_MS = 60_000 + 3_000 * RUNS;
const STEPS_MAX = 120;
const USERS = [ALICE, BOB, CAROL];
/**
 * Few enough ids that most are tried several times, but enough that they are not all used up early.
 */
const IDS_MAX = 24;
const OTHERS = sortKeys(['four', 'five', 'six'].map((name) => keyOf(`validator ${name}`)));

const user = fc.constantFrom(...USERS);
const withdrawalId = fc.nat({ max: IDS_MAX - 1 }).map(BigInt);
const smallUsd = fc.integer({ min: 1, max: 400_000_000 }).map(BigInt);
const anyUsd = fc.oneof(
  smallUsd,
  fc.integer({ min: 0, max: 3 }).map((n) => LARGE_USD + BigInt(n)),
);
const payout = fc.record({ withdrawalId, user, destination: user, usd: anyUsd });

/** Pauses are rare and short, so that most steps of a history move money. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('deposit' as const), user, usd: smallUsd }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('transfer' as const), user, usd: smallUsd }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('permits' as const),
      permits: fc.array(
        fc.record({ user, usd: smallUsd, isGood: fc.boolean(), isFrontRun: fc.boolean() }),
        { maxLength: 3 },
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('payOut' as const), payout, isSigned: weighted(5) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('batch' as const),
      payouts: fc.array(fc.record({ payout, isSigned: weighted(5) }), { maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('finish' as const), withdrawalId }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('cancel' as const),
      withdrawalId,
      isSigned: weighted(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancelQueued' as const), withdrawalId }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.nat({ max: DELAY_SECONDS }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('unpause' as const), bySignatures: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rotate' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('bar' as const), user, isBarred: weighted(1) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Generates `true` `times` times as often as `false`. */
function weighted(times: number): fc.Arbitrary<boolean> {
  return fc.nat({ max: times }).map((n) => n > 0);
}

/** Records what an observer of the chain can see. */
class Observer {
  deposited = 0n;
  /** The amounts received in plain transfers, for which the bridge emits no event. */
  transferred = 0n;
  paidOut = 0n;
  readonly paid = new Set<bigint>();
  readonly cancelled = new Set<bigint>();
  readonly counts = new Map<string, number>();

  see({ events, error }: Outcome): void {
    if (error !== undefined) this.counts.set(error, (this.counts.get(error) ?? 0) + 1);
    for (const { name, args } of events) {
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
      if (name === 'Deposit') this.deposited += args['usd'] as bigint;
      if (name === 'Cancelled') {
        expect(this.paid.has(args['withdrawalId'] as bigint)).toBe(false);
        this.cancelled.add(args['withdrawalId'] as bigint);
      }
      if (name !== 'Paid') continue;
      const id = args['withdrawalId'] as bigint;
      expect(this.paid.has(id), `${id} paid twice`).toBe(false);
      expect(this.cancelled.has(id), `${id} paid after it was cancelled`).toBe(false);
      this.paid.add(id);
      this.paidOut += args['usd'] as bigint;
    }
  }

  async check(world: BridgeWorld): Promise<void> {
    const cameIn = this.deposited + this.transferred;
    expect(this.paidOut <= cameIn).toBe(true);
    expect(await world.balanceOf(world.bridge.address)).toBe(cameIn - this.paidOut);
  }
}

/** The current validators and their nonce; a rotation swaps the two sets. */
type Deciders = { validators: readonly Key[]; nonce: bigint };

async function take(world: BridgeWorld, deciders: Deciders, next: Step): Promise<Outcome[]> {
  const { validators } = deciders;
  const signers = (isSigned: boolean): readonly Key[] =>
    isSigned ? validators.slice(0, Number(THRESHOLD)) : [GUARDIAN, UNPRIVILEGED_KEY];
  switch (next.do) {
    case 'deposit':
      await world.tokenCall(next.user, 'approve', [world.bridge.address, next.usd]);
      return [await world.call(next.user, 'deposit', [next.usd])];
    case 'permits':
      return [await depositWithPermits(world, next.permits)];
    case 'payOut':
      return [await world.payOut(addresses(next.payout), signers(next.isSigned))];
    case 'batch': {
      const payouts = next.payouts.map((each) => addresses(each.payout));
      const signatures = [];
      for (const [i, each] of next.payouts.entries()) {
        const message = payouts[i] ?? addresses(each.payout);
        signatures.push(await world.signPayout(message, signers(each.isSigned)));
      }
      return [await world.call(UNPRIVILEGED_KEY, 'batchPayOut', [payouts, signatures])];
    }
    case 'finish':
      return [await world.call(UNPRIVILEGED_KEY, 'finish', [next.withdrawalId])];
    case 'cancel':
      return [await world.cancel(next.withdrawalId, signers(next.isSigned))];
    case 'cancelQueued':
      return [await world.call(GUARDIAN, 'cancelQueued', [next.withdrawalId])];
    case 'pause':
      return [await world.call(GUARDIAN, 'pause')];
    case 'unpause':
      if (!next.bySignatures) return [await world.call(GUARDIAN, 'unpause')];
      return [await world.unpause((await world.read('pauseNonce')) as bigint, validators)];
    case 'rotate': {
      const following = validators === VALIDATORS ? OTHERS : VALIDATORS;
      const { nonce } = deciders;
      const set = { validators: following, threshold: THRESHOLD, guardian: GUARDIAN, nonce };
      const outcome = await world.rotate(set, validators);
      Object.assign(deciders, { validators: following, nonce: nonce + 1n });
      return [outcome];
    }
    case 'bar': {
      const name = next.isBarred ? 'blacklist' : 'unBlacklist';
      await world.tokenCall(MINTER, name, [next.user.address]);
      return [];
    }
    case 'wait':
      world.evm.timeSeconds += next.seconds;
      return [];
    case 'transfer':
      return [];
  }
}

function addresses(drawn: { withdrawalId: bigint; user: Key; destination: Key; usd: bigint }) {
  return { ...drawn, user: drawn.user.address, destination: drawn.destination.address };
}

type PermitStep = Extract<Step, { do: 'permits' }>['permits'];

async function depositWithPermits(world: BridgeWorld, permits: PermitStep): Promise<Outcome> {
  const place = { token: world.token, spender: world.bridge.address };
  const signed = [];
  for (const each of permits) {
    const permit = await signPermit(world.evm, place, {
      user: each.user,
      usd: each.usd,
      ...(each.isGood ? {} : { signer: UNPRIVILEGED_KEY }),
    });
    signed.push(permit);
    if (!each.isFrontRun) continue;
    const { r, s, v } = permit.signature;
    const words = [r, s].map((word) => `0x${word.toString(16).padStart(64, '0')}`);
    const args = [permit.user, world.bridge.address, permit.usd, permit.deadline, v, ...words];
    await world.evm.send(UNPRIVILEGED_KEY, world.token, { name: 'permit', args });
  }
  return world.call(UNPRIVILEGED_KEY, 'batchedDepositWithPermit', [signed]);
}

test(
  "R-conservation: the bridge's payouts never exceed deposits, and each withdrawal is paid once",
  async () => {
    const totals = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: STEPS_MAX, maxLength: STEPS_MAX, size: 'max' }),
        async (steps) => {
          const world = await BridgeWorld.open();
          for (const each of USERS) await world.fund(each, 20n * LARGE_USD);
          const observer = new Observer();
          const deciders: Deciders = { validators: VALIDATORS, nonce: 0n };
          for (const next of steps) {
            if (next.do === 'transfer') {
              const args = [world.bridge.address, next.usd];
              const sent = await world.evm.send(next.user, world.token, { name: 'transfer', args });
              if (sent.ok) observer.transferred += next.usd;
            }
            for (const outcome of await take(world, deciders, next)) observer.see(outcome);
            await observer.check(world);
          }
          for (const [name, count] of observer.counts) {
            totals.set(name, (totals.get(name) ?? 0) + count);
          }
        },
      ),
      // Shrinking a history of this length would exceed the test's timeout; the seed reproduces it.
      { numRuns: RUNS, endOnFailure: true },
    );
    // If any of these events never occurred, the histories would test nothing.
    const names = ['Deposit', 'FailedPermitDeposit', 'Paid', 'Queued', 'Cancelled', 'PayoutFailed'];
    const reasons = (['ALREADY_PAID', 'ALREADY_CANCELLED', 'TOO_EARLY'] as const).map(refused);
    for (const name of [...names, 'Paused', 'Unpaused', 'Rotated', ...reasons]) {
      expect(totals.get(name) ?? 0, name).toBeGreaterThan(0);
    }
  },
  TIMEOUT_MS,
);
