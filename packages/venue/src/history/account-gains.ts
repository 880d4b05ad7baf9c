import type { Address } from '@oddlot/units';
import type { AccountSums, Answer, Ask } from './history.ts';
import { NOTHING, pnlBetween, windowStartMs } from './portfolio-window.ts';

/** What the answer is made of: the state of now, and the rows of the store. */
export type GainSources = {
  readonly nowMs: number;
  readonly sums: (user: Address) => AccountSums | null;
  /** Some accounts in the order in which they were made, from a place on. */
  readonly users: (from: number, limit: number) => readonly Address[];
  readonly valuesAt: (ask: Ask<'valuesAt'>) => Promise<Answer<'valuesAt'>>;
};

/** What accounts gained and traded within windows, as their portfolios say; without those that did neither. */
export async function accountGains(
  { accounts, windows }: Ask<'accountGains'>,
  { nowMs, sums, users: usersFrom, valuesAt }: GainSources,
): Promise<Answer<'accountGains'>> {
  const users = 'users' in accounts ? accounts.users : usersFrom(accounts.from, accounts.limit);
  const starts = windows.map((window) => windowStartMs(window, nowMs));
  const timesMs = starts.filter((each) => each !== undefined);
  const values = timesMs.length === 0 ? [] : await valuesAt({ users, timesMs });
  const rows = users.flatMap((user, at) => {
    const now = sums(user);
    if (now === null) return [];
    const gains = starts.map((startMs) => {
      const start = startMs === undefined ? NOTHING : values[at]?.[timesMs.indexOf(startMs)];
      const { volume } = start ?? NOTHING;
      return { pnl: pnlBetween(start ?? NOTHING, now), volume: now.volume - volume };
    });
    const isIdle = gains.every(({ pnl, volume }) => pnl === 0 && volume === 0);
    return isIdle ? [] : [{ user, value: now.value, gains }];
  });
  const isLast = 'users' in accounts || users.length < accounts.limit;
  return { rows, next: isLast ? null : accounts.from + users.length };
}
