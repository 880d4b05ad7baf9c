import { address } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { AccountGains, History } from '@oddlot/history/history';
import { AccountRanking, PORTION, SERVES_MS_PER_ACCOUNT } from './account-ranking.ts';

const FUND = address(`0x${'f'.repeat(40)}`);

/** There are more accounts than fit in one batch, and every third account is idle. */
const ACCOUNTS = 2 * PORTION + 50;
const KEPT = 100;

const rows = Array.from({ length: ACCOUNTS }, (_, at): AccountGains => {
  // The values are spread over the batches, and many are equal.
  const pnl = at % 3 === 0 ? 0 : ((at * 7_919) % 211) - 100;
  const volume = at % 3 === 0 ? 0 : (at * 104_729) % 307;
  const gains = [1, 2, 3, 4].map((times) => ({ pnl: times * pnl, volume: times * volume }));
  return { user: address(`0x${at.toString(16).padStart(40, '0')}`), value: at, gains };
});
// The insurance fund has the highest values, but must not be listed.
rows[7] = { user: FUND, value: 1, gains: [1, 2, 3, 4].map(() => ({ pnl: 999, volume: 9_999 })) };

/**
 * Replies like the indexer: with a page of accounts that starts at a given index and excludes idle
 * accounts.
 */
class Accounts implements Pick<History, 'ask' | 'asOf'> {
  asOf = { height: 7, timeMs: 1_000_000 };
  readonly asked: { readonly from: number; readonly minHeight: number | undefined }[] = [];
  isAway = false;

  ask = (async (_topic, question, { minHeight } = {}) => {
    const { accounts } = question as { accounts: { from: number; limit: number } };
    this.asked.push({ from: accounts.from, minHeight });
    if (this.isAway) throw new Error('away');
    const end = accounts.from + accounts.limit;
    const found = rows.slice(accounts.from, end).filter(({ gains }) => gains[0]?.volume !== 0);
    const next = end < rows.length ? end : null;
    return { asOf: this.asOf, answer: { rows: found, next } };
  }) as History['ask'];
}

const open = () => {
  const accounts = new Accounts();
  return {
    accounts,
    ranking: new AccountRanking(accounts as unknown as History, (user) => user !== FUND),
  };
};

test.each(['pnl', 'volume'] as const)(
  'the first hundred accounts by %s are selected from all portions',
  async (by) => {
    const { accounts, ranking } = open();
    const { leaders } = await ranking.latest({ minHeight: 5 });
    const expected = rows
      .filter(({ gains, user }) => gains[0]?.volume !== 0 && user !== FUND)
      .toSorted((a, b) => b.gains[1]![by] - a.gains[1]![by] || (a.user < b.user ? -1 : 1))
      .map(({ user }) => user);
    expect(leaders('week', by)).toEqual(expected.slice(0, KEPT));
    // The first query waits for the requested block, and the others wait for the first one's block.
    expect(accounts.asked).toEqual([
      { from: 0, minHeight: 5 },
      { from: PORTION, minHeight: 7 },
      { from: 2 * PORTION, minHeight: 7 },
    ]);
  },
);

test('the more accounts there are, the longer a ranking is cached, and concurrent clients share it', async () => {
  const { accounts, ranking } = open();
  const [first, second] = await Promise.all([ranking.latest({}), ranking.latest({})]);
  expect(second).toBe(first);
  accounts.asOf = { height: 8, timeMs: 1_000_000 + 3 * PORTION * SERVES_MS_PER_ACCOUNT - 1 };
  expect(await ranking.latest({})).toBe(first);
  accounts.asOf = { height: 9, timeMs: accounts.asOf.timeMs + 1 };
  const later = await ranking.latest({});
  expect(later).not.toBe(first);
  expect(later.timeMs).toBe(accounts.asOf.timeMs);
  expect(accounts.asked).toHaveLength(6);
});

test('after a failure, the next query computes the ranking again', async () => {
  const { accounts, ranking } = open();
  accounts.isAway = true;
  await expect(ranking.latest({})).rejects.toThrow('away');
  accounts.isAway = false;
  expect((await ranking.latest({})).leaders('day', 'pnl')).toHaveLength(KEPT);
});
