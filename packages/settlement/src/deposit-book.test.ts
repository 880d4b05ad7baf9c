import { type DepositLog, returnIdOf } from '@oddlot/custody/bridge-contract';
import { address, hash } from '@oddlot/units';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { creditsOf, type DepositRules, EMPTY_BOOK, plainSenders } from './deposit-book.ts';

const accountOf = (n: number) => address(`0x${n.toString(16).padStart(40, '0')}`);
const [ZERO, ALICE, BOB, OPERATOR, CONTRACT] = [0, 0xa, 0xb, 0x0e, 0xc].map(accountOf) as [
  ReturnType<typeof accountOf>,
  ReturnType<typeof accountOf>,
  ReturnType<typeof accountOf>,
  ReturnType<typeof accountOf>,
  ReturnType<typeof accountOf>,
];
const RULES: DepositRules = {
  minMicroUsdc: 5_000_000,
  operators: new Set([OPERATOR]),
  isMinter: false,
  contracts: new Set([CONTRACT]),
  isCredited: () => false,
};

function logs(
  ...transactions: readonly (readonly [DepositLog['kind'], DepositLog['account'], number][])[]
): DepositLog[] {
  return transactions.flatMap((entries, tx) =>
    entries.map(([kind, account, amount], at) => ({
      kind,
      account,
      amount: BigInt(amount),
      source: {
        chainId: 1,
        txHash: hash(`0x${(tx + 1).toString(16).padStart(64, '0')}`),
        logIndex: 10 * tx + at,
        blockNumber: tx,
      },
    })),
  );
}

function read(found: readonly DepositLog[], rules = RULES) {
  const { book, credits } = creditsOf(EMPTY_BOOK, found, rules);
  return {
    credits: credits.map((each) => [each.account, each.amountMicroUsdc, each.isOwn]),
    aside: book.aside.map(({ account, amount, reason }) => [account, Number(amount), reason]),
    pots: book.pots,
    minted: book.minted,
  };
}

describe('R-deposit: bridge events are matched with their transfers', () => {
  test("deposit and permit credit the user's own account, and depositFor credits another account", () => {
    const found = logs(
      [
        ['transfer', ALICE, 6_000_000],
        ['deposit', ALICE, 6_000_000],
      ],
      [
        ['transfer', BOB, 7_000_000],
        ['deposit', ALICE, 7_000_000],
      ],
    );
    expect(read(found)).toMatchObject({
      credits: [
        [ALICE, 6_000_000, true],
        [ALICE, 7_000_000, false],
      ],
      aside: [],
    });
  });

  test('an event is matched with the nearest preceding transfer of the same amount, and a transfer without an event is a deposit by its sender', () => {
    const found = logs([
      ['transfer', BOB, 6_000_000],
      ['transfer', ALICE, 6_000_000],
      ['deposit', ALICE, 6_000_000],
      ['transfer', ALICE, 9_000_000],
    ]);
    expect(read(found).credits).toEqual([
      [BOB, 6_000_000, true],
      [ALICE, 6_000_000, true],
      [ALICE, 9_000_000, true],
    ]);
  });

  test('an event is not matched with a later transfer or with one in another transaction', () => {
    const found = logs(
      [
        ['deposit', ALICE, 6_000_000],
        ['transfer', ALICE, 6_000_000],
      ],
      [['transfer', ALICE, 6_000_000]],
    );
    expect(read(found)).toMatchObject({
      credits: [
        [ALICE, 6_000_000, true],
        [ALICE, 6_000_000, true],
      ],
      aside: [[ALICE, 6_000_000, 'noTransfer']],
    });
  });
});

describe('some deposits are held and not credited', () => {
  test.each([
    ['from the zero address', ZERO, 'fromZero'],
    ['from an operator', OPERATOR, 'fromOperator'],
    ['from a contract', CONTRACT, 'fromContract'],
  ])('a transfer without a bridge event %s is held', (_, sender, reason) => {
    expect(read(logs([['transfer', sender, 9_000_000]]))).toMatchObject({
      credits: [],
      aside: [[sender, 9_000_000, reason]],
    });
  });

  test('a deposit by a contract for a user is credited to the user', () => {
    const found = logs([
      ['transfer', CONTRACT, 9_000_000],
      ['deposit', ALICE, 9_000_000],
    ]);
    expect(read(found).credits).toEqual([[ALICE, 9_000_000, false]]);
    expect(plainSenders(EMPTY_BOOK, found, RULES)).toEqual([]);
  });

  test('transfers from a former bridge are not credited, but deposits it makes on behalf of users are', () => {
    const rules = { ...RULES, formerBridges: new Set([CONTRACT]) };
    const moved = logs([['transfer', CONTRACT, 9_000_000]], [['transfer', ALICE, 6_000_000]]);
    const credits = [[ALICE, 6_000_000, true]];
    expect(read(moved, rules)).toEqual({ credits, aside: [], pots: {}, minted: '0' });
    const deposited = logs([
      ['transfer', CONTRACT, 9_000_000],
      ['deposit', BOB, 9_000_000],
    ]);
    expect(read(deposited, rules).credits).toEqual([[BOB, 9_000_000, false]]);
  });

  test('an amount that the venue cannot represent exactly is held', () => {
    const [log] = logs([['transfer', ALICE, 1]]) as [DepositLog];
    const found = [{ ...log, amount: 2n ** 200n }];
    expect(creditsOf(EMPTY_BOOK, found, RULES).book.aside).toMatchObject([
      { reason: 'tooLarge', amount: String(2n ** 200n) },
    ]);
  });

  test('tokens minted by the venue fund the faucet and are not credited', () => {
    const found = logs([['transfer', ZERO, 9_000_000]], [['transfer', ZERO, 1]]);
    expect(read(found, { ...RULES, isMinter: true })).toMatchObject({
      credits: [],
      aside: [],
      minted: '9000001',
    });
  });

  test('small deposits wait until they reach the minimum together, and the last one credits them all', () => {
    const small = logs(
      [['transfer', ALICE, 2_000_000]],
      [['transfer', BOB, 4_999_999]],
      [
        ['transfer', BOB, 2_500_000],
        ['deposit', ALICE, 2_500_000],
      ],
      [['transfer', ALICE, 0]],
      [['transfer', ALICE, 600_000]],
    );
    const { book, credits } = creditsOf(EMPTY_BOOK, small, RULES);
    expect(credits).toMatchObject([
      { account: ALICE, amountMicroUsdc: 5_100_000, isOwn: true, source: { blockNumber: 4 } },
    ]);
    expect(book.pots).toEqual({ [BOB]: { amount: 4_999_999, parts: 1, isOwn: true } });
  });
});

test('R-conservation: the same deposits are credited and none is lost, regardless of how the logs are divided into reads', () => {
  const transaction = fc.array(
    fc.tuple(
      fc.constantFrom('transfer' as const, 'transfer' as const, 'deposit' as const),
      fc.constantFrom(ZERO, ALICE, BOB, OPERATOR, CONTRACT),
      fc.constantFrom(1_000_000, 2_000_000, 5_000_000, 6_000_000),
    ),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 12 }), fc.nat(12), (transactions, cut) => {
      const found = logs(...transactions);
      const whole = creditsOf(EMPTY_BOOK, found, RULES);
      const isFirst = (log: DepositLog): boolean => log.source.blockNumber < cut;
      const first = creditsOf(EMPTY_BOOK, found.filter(isFirst), RULES);
      const second = creditsOf(
        first.book,
        found.filter((log) => !isFirst(log)),
        RULES,
      );
      expect([...first.credits, ...second.credits]).toEqual(whole.credits);
      expect(second.book).toEqual(whole.book);
      const received = found
        .filter(({ kind }) => kind === 'transfer')
        .reduce((sum, { amount }) => sum + amount, 0n);
      const credited = whole.credits.reduce((sum, each) => sum + BigInt(each.amountMicroUsdc), 0n);
      const pots = Object.values(whole.book.pots).reduce(
        (sum, pot) => sum + BigInt(pot.amount),
        0n,
      );
      const aside = whole.book.aside
        .filter(({ reason }) => reason !== 'noTransfer')
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      expect(credited + pots + aside).toBe(received);
      const places = whole.credits.map(({ source }) => `${source.txHash}:${source.logIndex}`);
      expect(new Set(places).size).toBe(places.length);
    }),
  );
});

describe('R-deposit: a held deposit can be returned', () => {
  const [deposit] = logs([['transfer', CONTRACT, 6_000_000]]);
  const payout = (returnId: bigint): DepositLog => ({
    kind: 'return',
    account: CONTRACT,
    amount: 6_000_000n,
    returnId,
    source: {
      ...deposit!.source,
      txHash: hash(`0x${'99'.repeat(32)}`),
      logIndex: 3,
      blockNumber: 7,
    },
  });

  test('the payout that returns a deposit is recorded, and its id is derived from the deposit alone', () => {
    const { book } = creditsOf(EMPTY_BOOK, [deposit!], RULES);
    const { logIndex, txHash } = deposit!.source;
    const id = returnIdOf(txHash as `0x${string}`, logIndex);
    const { book: after, credits } = creditsOf(book, [payout(id)], RULES);
    expect(after.aside).toMatchObject([{ account: CONTRACT, returned: `0x${'99'.repeat(32)}` }]);
    expect(credits).toEqual([]);
    const other = creditsOf(book, [payout(id + 1n)], RULES).book.aside;
    expect(other[0]?.returned).toBeUndefined();
  });
});

test('zero-value transfers are not credited and leave no record', () => {
  const { aside, credits, pots } = read(
    logs([['transfer', CONTRACT, 0]], [['transfer', ALICE, 0]]),
  );
  expect([aside, credits, pots]).toEqual([[], [], {}]);
});

test('R-deposit: when logs are read again, a small deposit is skipped only if an earlier credit included it', () => {
  const found = logs(
    [['transfer', ALICE, 3_000_000]],
    [['transfer', ALICE, 7_000_000]],
    [['transfer', BOB, 3_000_000]],
    [['transfer', BOB, 2_000_000]],
  );
  const first = creditsOf(EMPTY_BOOK, found, RULES);
  const known = new Set(first.credits.map(({ source }) => source.txHash));
  const again = creditsOf(EMPTY_BOOK, found, {
    ...RULES,
    isCredited: ({ txHash }) => known.has(txHash),
  });
  expect(again.credits).toEqual([]);
  expect(again.book).toEqual(first.book);
  expect(again.book.pots).toMatchObject({ [ALICE]: { amount: 3_000_000 } });
});
