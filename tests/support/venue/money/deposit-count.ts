import { checkInvariants } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { expect } from 'vitest';
import { CONTRACT_SENDER } from './deposit-chain.ts';
import type { DepositRig } from './deposit-rig.ts';

/** Computes the expected credits from the actions in each transaction, without reading any logs. */

const MINIMUM = 5_000_000n;

type Counted = {
  readonly credited: Map<string, bigint>;
  readonly pots: Map<string, bigint>;
  readonly aside: bigint;
};

/** Sums each account's deposits in confirmed blocks. */
function count({ chain, confirmations }: DepositRig): Counted {
  const credited = new Map<string, bigint>();
  const pots = new Map<string, bigint>();
  let aside = 0n;
  for (const { kind, usd, user } of chain.blocks.at(-confirmations)?.state.received ?? []) {
    if (kind === 'plain' && user === CONTRACT_SENDER) {
      aside += usd;
      continue;
    }
    const sum = usd >= MINIMUM ? usd : usd + (pots.get(user) ?? 0n);
    if (usd < MINIMUM) pots.delete(user);
    if (sum < MINIMUM) pots.set(user, sum);
    else credited.set(user, (credited.get(user) ?? 0n) + sum);
  }
  return { credited, pots, aside };
}

export const sumOf = (amounts: Iterable<bigint>): bigint =>
  [...amounts].reduce((sum, each) => sum + each, 0n);

export function creditedTotal({ replica }: DepositRig): bigint {
  return replica.state.bridge?.creditedTotal ?? 0n;
}

export function expectCounted(rig: DepositRig): void {
  const counted = count(rig);
  const { book } = rig.watcher.status;
  const bound = sumOf(
    book.aside.filter(({ reason }) => reason === 'bound').map(({ amount }) => BigInt(amount)),
  );
  expect(creditedTotal(rig) + bound).toBe(sumOf(counted.credited.values()));
  const pots = Object.entries(book.pots).map(
    ([user, { amount }]) => [user, BigInt(amount)] as const,
  );
  expect(new Map(pots)).toEqual(counted.pots);
  expect(
    sumOf(
      book.aside.filter(({ reason }) => reason !== 'bound').map(({ amount }) => BigInt(amount)),
    ),
  ).toBe(counted.aside);
}

export function expectBalances(rig: DepositRig): void {
  for (const [user, amount] of count(rig).credited) {
    const at = rig.replica.state.accountIndex.get(user as Address);
    expect(at).toBeDefined();
    const account = rig.replica.state.accounts[at!];
    expect([user, account?.perpBalance]).toEqual([user, amount]);
  }
  checkInvariants(rig.replica.state);
}

export const isQuiet = ({ faults }: DepositRig): boolean =>
  faults.every((fault) => fault === 'none' || fault === 'twice');
