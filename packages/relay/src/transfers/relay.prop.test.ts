import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  FLOAT,
  FLOAT_USDC,
  type Place,
  RelayRig,
  USER_USDC,
  USERS,
} from '@oddlot/testing/relay/relay-rig';
import { sumOf } from '../book/relay-book.ts';

/**
 * Even if any step along the way fails, money is either paid out once or returned, and the relay
 * earns its fees.
 */

type Step =
  | {
      readonly does: 'deposit';
      readonly user: number;
      readonly isOutcome: boolean;
      readonly src: 'base' | 'arbitrum';
    }
  | { readonly does: 'peg'; readonly user: number; readonly dst: 'base' | 'arbitrum' }
  | {
      readonly does: 'pay' | 'send';
      readonly user: number;
      readonly to: number;
      readonly amount: number;
    }
  | { readonly does: 'step' }
  | { readonly does: 'mine' | 'drop'; readonly chain: 'base' | 'arbitrum' }
  | { readonly does: 'reorganise'; readonly chain: 'base' | 'arbitrum'; readonly isLost: boolean }
  | { readonly does: 'kill'; readonly requests: number; readonly isLastDone: boolean }
  | { readonly does: 'down' | 'up'; readonly place: Place };

const user = fc.nat({ max: USERS.length - 1 });
const chain = fc.constantFrom('base' as const, 'arbitrum' as const);
const amount = fc.oneof(
  fc.integer({ min: 1, max: 5_000_000 }),
  fc.integer({ min: 5_000_000, max: 90_000_000 }),
);
const place = fc.constantFrom<Place>('base', 'arbitrum', 'venue', 'slow');
const to = fc.nat({ max: 3 });
const does = <Name extends string>(name: Name) => fc.constant(name);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ does: does('deposit'), user, isOutcome: fc.boolean(), src: chain }),
  },
  { weight: 2, arbitrary: fc.record({ does: does('peg'), user, dst: chain }) },
  { weight: 4, arbitrary: fc.record({ does: does('pay'), user, to, amount }) },
  { weight: 4, arbitrary: fc.record({ does: does('send'), user, to, amount }) },
  { weight: 8, arbitrary: fc.record({ does: does('step') }) },
  { weight: 6, arbitrary: fc.record({ does: does('mine'), chain }) },
  { weight: 1, arbitrary: fc.record({ does: does('drop'), chain }) },
  { weight: 1, arbitrary: fc.record({ does: does('reorganise'), chain, isLost: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: does('kill'),
      requests: fc.nat({ max: 25 }),
      isLastDone: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: does('down'),
      place: place,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: does('up'),
      place: place,
    }),
  },
);

/** Users' payments by address, against which the relay is compared. */
class ExpectedPayments {
  readonly paid = new Map<string, bigint>();
  readonly sent = new Map<string, bigint>();

  add(book: Map<string, bigint>, key: string, amountMicro: number): void {
    book.set(key, (book.get(key) ?? 0n) + BigInt(amountMicro));
  }
}

async function perform(rig: RelayRig, each: Step, expected: ExpectedPayments): Promise<void> {
  const dstAddr = 'user' in each ? USERS[each.user]! : USERS[0]!;
  switch (each.does) {
    case 'deposit': {
      const accountType = each.isOutcome ? 'outcome' : 'perp';
      const ends = { srcChain: each.src, dstChain: 'oddlot', asset: 'USDC' };
      await rig.run(() => rig.service.depositAddress({ ...ends, dstAddr, accountType }));
      break;
    }
    case 'peg': {
      const ends = { srcChain: 'oddlot', dstChain: each.dst, asset: 'USDC' };
      await rig.run(() => rig.service.pegAddress({ ...ends, dstAddr }));
      break;
    }
    case 'pay': {
      const address = rig.book.addresses('deposit')[each.to];
      if (address === undefined) break;
      rig.chains[address.chain as 'base'].pay(dstAddr, address.address, BigInt(each.amount));
      expected.add(expected.paid, address.id, each.amount);
      expected.add(expected.paid, `${dstAddr} ${address.chain}`, each.amount);
      break;
    }
    case 'send': {
      const peg = rig.book.addresses('peg')[each.to];
      if (peg === undefined) break;
      const kinds = { from: 'perp', to: each.amount % 2 === 0 ? 'perp' : 'outcome' };
      rig.venue.send(dstAddr, peg.address, BigInt(each.amount), kinds);
      expected.add(expected.sent, `${peg.id} ${dstAddr}`, each.amount);
      break;
    }
    case 'step':
      await rig.run(() => rig.relay.step());
      break;
    case 'mine':
      await rig.mine(each.chain);
      break;
    case 'drop':
      rig.chains[each.chain].drop();
      break;
    case 'reorganise':
      rig.chains[each.chain].reorganise(1, each.isLost);
      break;
    case 'kill':
      rig.killAfter(each.requests, each.isLastDone);
      await rig.run(() => rig.relay.step());
      rig.start();
      break;
    case 'down':
      rig.down.add(each.place);
      break;
    case 'up':
      rig.down.delete(each.place);
      break;
  }
  if (rig.isKilled) rig.start();
}

const total = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((a, b) => a + b, 0n);

/** Compares all balances with users' payments and the relay's journal. */
function audit(rig: RelayRig, expected: ExpectedPayments): void {
  const { book, chains, venue } = rig;
  let fees = 0n;
  let retained = 0n;
  const got = new Map<string, bigint>();
  const gain = (key: string, micro: bigint): void =>
    void got.set(key, (got.get(key) ?? 0n) + micro);
  for (const address of book.addresses('deposit')) {
    const transfers = book.transfersOf(address.id);
    expect(total(transfers.map(sumOf))).toBe(expected.paid.get(address.id) ?? 0n);
    for (const transfer of transfers) {
      if (transfer.state === 'collecting') {
        expect(sumOf(transfer)).toBeLessThan(BigInt(address.minMicro));
        retained += sumOf(transfer);
        continue;
      }
      expect(transfer).toMatchObject({ state: 'completed', isSwept: true });
      fees += BigInt(address.feeMicro);
      gain(`${address.dstAddr} ${address.accountType}`, sumOf(transfer) - BigInt(address.feeMicro));
    }
  }
  for (const peg of book.addresses('peg')) {
    for (const sender of USERS) {
      const transfers = book.transfersOf(peg.id).filter((each) => each.user === sender);
      expect(total(transfers.map(sumOf))).toBe(expected.sent.get(`${peg.id} ${sender}`) ?? 0n);
      for (const transfer of transfers) {
        // All pegs have expired at this point.
        expect(['completed', 'refunded']).toContain(transfer.state);
        gain(`${sender} perp`, transfer.state === 'refunded' ? 0n : -sumOf(transfer));
        if (transfer.state === 'refunded') continue;
        fees += BigInt(peg.feeMicro);
        gain(`${peg.dstAddr} ${peg.chain}`, sumOf(transfer) - BigInt(peg.feeMicro));
      }
    }
    expect(venue.balanceOf(peg.address)).toBe(0n);
    expect(venue.balanceOf(peg.address, 'outcome')).toBe(0n);
  }
  for (const each of USERS) {
    expect(venue.balanceOf(each)).toBe(USER_USDC + (got.get(`${each} perp`) ?? 0n));
    expect(venue.balanceOf(each, 'outcome')).toBe(got.get(`${each} outcome`) ?? 0n);
    for (const name of ['base', 'arbitrum'] as const) {
      const key = `${each} ${name}`;
      const owned = USER_USDC - (expected.paid.get(key) ?? 0n) + (got.get(key) ?? 0n);
      expect(chains[name].usdcOf(each)).toBe(owned);
    }
  }
  const places = [chains.base.usdcOf(FLOAT), chains.arbitrum.usdcOf(FLOAT), venue.balanceOf(FLOAT)];
  // The bridge has no allowance beyond the pending deposits.
  expect(chains.arbitrum.allowedOf(FLOAT)).toBe(0n);
  const oneTime = book
    .addresses('deposit')
    .map((each) => chains[each.chain as 'base'].usdcOf(each.address));
  expect(total([...places, ...oneTime])).toBe(2n * FLOAT_USDC + fees + retained);
}

const RUNS = 2 * Number(process.env['FUZZ_RUNS'] ?? 6);
const TIMEOUT_MS = 40_000 + 2_000 * RUNS;

test(
  'R-conservation: in random histories of payments, reorganisations, faults and kills, the relay pays out or returns all money',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const rig = new RelayRig();
        const expected = new ExpectedPayments();
        try {
          for (const each of steps) await perform(rig, each, expected);
          await rig.settle();
          // Amounts below the minimum are returned to those who sent them to a peg.
          rig.nowMs += 2 * 86_400_000;
          await rig.settle();
          audit(rig, expected);
        } finally {
          rig.close();
        }
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);
