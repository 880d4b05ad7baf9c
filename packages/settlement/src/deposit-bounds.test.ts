import type { DepositLog } from '@oddlot/custody/bridge-contract';
import { address, hash } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import {
  creditsOf,
  DEPOSIT_BOUNDS,
  type DepositBook,
  EMPTY_BOOK,
  plainSenders,
} from './deposit-book.ts';
import { keptAsideOf } from './reserves/reserves-worker.ts';

const MIN = 5_000_000;
const accountOf = (n: number) => address(`0x${(n + 1).toString(16).padStart(40, '0')}`);
const CONTRACT = accountOf(0xc0de);

/** Returns plain transfers, each in the transaction named after its block. */
function transfers(
  amounts: readonly number[],
  { block = 1, sender }: { block?: number; sender?: ReturnType<typeof accountOf> } = {},
): readonly DepositLog[] {
  return amounts.map((amount, logIndex) => ({
    kind: 'transfer',
    account: sender ?? accountOf(logIndex),
    amount: BigInt(amount),
    source: {
      chainId: 7,
      txHash: hash(`0x${block.toString(16).padStart(64, '0')}`),
      logIndex,
      blockNumber: block,
    },
  }));
}

const RULES = {
  minMicroUsdc: MIN,
  operators: new Set<never>(),
  isMinter: false,
  contracts: new Set([CONTRACT]),
  isCredited: () => false,
};

const sumOf = (amounts: readonly number[]): bigint =>
  amounts.reduce((sum, each) => sum + BigInt(each), 0n);

function after(logs: readonly DepositLog[], book: DepositBook = EMPTY_BOOK): DepositBook {
  return creditsOf(book, logs, RULES).book;
}

describe('R-deposit: the records of deposits below the minimum are bounded', () => {
  test('deposits below one cent from all senders are added up, and cause no queries', () => {
    const amounts = Array.from({ length: 4_300 }, (_, n) => 1 + n);
    const logs = transfers(amounts);
    expect(plainSenders(EMPTY_BOOK, logs, RULES)).toEqual([]);
    const book = after(logs);
    expect(book).toMatchObject({ pots: {}, aside: [] });
    expect(book.dust).toEqual({ amount: String(sumOf(amounts)), parts: 4_300 });
    expect(keptAsideOf(book)).toBe(sumOf(amounts));
  });

  test("a deposit below one cent is added to its account's pending amount, regardless of how the logs are divided", () => {
    const [waits, none] = [accountOf(7), accountOf(8)];
    const blocks = [
      transfers([9_999], { block: 1, sender: waits }),
      transfers([4_980_000], { block: 2, sender: waits }),
      [
        ...transfers([9_999], { block: 3, sender: waits }),
        ...transfers([9_999], { block: 4, sender: none }),
      ],
      transfers([10_001], { block: 5, sender: waits }),
    ];
    const cut = blocks.reduce((book, logs) => after(logs, book), EMPTY_BOOK);
    expect(cut).toEqual(after(blocks.flat()));
    // The first amount arrived before any amount was pending; the last one brings the total to five
    // dollars.
    expect(cut.dust).toEqual({ amount: '19998', parts: 2 });
    expect(cut.pots).toEqual({});
    const { credits } = creditsOf(EMPTY_BOOK, blocks.flat(), RULES);
    expect(credits).toMatchObject([{ account: waits, amountMicroUsdc: 5_000_000 }]);
    expect(plainSenders(after(blocks[1] ?? []), blocks[2] ?? [], RULES)).toEqual([waits]);
  });

  test('only the largest small deposits of a block are recorded by account, and the others are added up', () => {
    const amounts = Array.from({ length: 4_300 }, (_, n) => 10_000 + n);
    const book = after(transfers(amounts));
    const potAmounts = Object.values(book.pots).map(({ amount }) => amount);
    expect(potAmounts).toHaveLength(DEPOSIT_BOUNDS.smallPerBlock);
    expect(Math.min(...potAmounts)).toBe(10_000 + 3_300);
    expect(keptAsideOf(book)).toBe(sumOf(amounts));
  });

  test('over many blocks, only the accounts with the largest pending amounts are kept', () => {
    let book = after(transfers([4_000_000], { sender: accountOf(1_000_000) }));
    let sent = 4_000_000n;
    for (let block = 2; block < 14; block++) {
      const amounts = Array.from({ length: 1_000 }, (_, n) => 10_000 + n);
      const logs = transfers(amounts, { block }).map((log, n) => {
        return { ...log, account: accountOf(block * 10_000 + n) };
      });
      book = after(logs, book);
      sent += sumOf(amounts);
    }
    expect(Object.keys(book.pots)).toHaveLength(DEPOSIT_BOUNDS.entriesMax);
    expect(book.pots[accountOf(1_000_000)]).toMatchObject({ amount: 4_000_000 });
    expect(keptAsideOf(book)).toBe(sent);
  });

  test("a contract's ten largest small transfers are held, and so are all of its transfers above the minimum", () => {
    const amounts = Array.from({ length: 500 }, (_, n) => 10_000 + n);
    const large = Array.from({ length: 30 }, () => MIN);
    const book = after(transfers([...amounts, ...large], { sender: CONTRACT }));
    const small = book.aside.map(({ amount }) => Number(amount)).filter((each) => each < MIN);
    expect(small).toEqual(Array.from({ length: 10 }, (_, n) => 10_490 + n));
    expect(book.aside).toHaveLength(40);
    expect(keptAsideOf(book)).toBe(sumOf([...amounts, ...large]));
  });
});
