import { PAGE_LIMITS, type Leaderboard, type PortfolioWindow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { AccountGains, Answer, AsOf, History } from '@oddlot/history/history';

type SortBy = Leaderboard['sortBy'];
type Gain = AccountGains['gains'][number];

const RANKED_WINDOWS = ['day', 'week', 'month', 'all'] as const satisfies PortfolioWindow[];
const SORTS = ['pnl', 'volume'] as const satisfies SortBy[];
/** The number of accounts per query to the history. */
export const PORTION = 100;
/** The maximum number of accounts that a client can request. */
const KEPT_MAX = PAGE_LIMITS.leaderboard.max;
/**
 * The cache time per account of the venue, in milliseconds. Reading one account takes less than 1%
 * of it.
 */
export const SERVES_MS_PER_ACCOUNT = 5;

/** The ranking at the time of the last comparison. */
type Ranking = {
  readonly timeMs: number;
  readonly height: number;
  readonly untilMs: number;
  readonly leaders: (window: PortfolioWindow, sortBy: SortBy) => readonly Address[];
};

/**
 * Ranks accounts by gain or volume. If the last ranking is too old, the next request compares all
 * accounts; concurrent requests share one comparison. The cache time grows with the number of
 * accounts, so the history thread spends a constant share of its CPU time on it.
 */
export class AccountRanking {
  readonly #history: History;
  readonly #isTrader: (user: Address) => boolean;
  #last: Ranking | undefined;
  #running: Promise<Ranking> | undefined;

  /** Creates a ranking. `isTrader` excludes the insurance fund, because it is also an account. */
  constructor(history: History, isTrader: (user: Address) => boolean) {
    this.#history = history;
    this.#isTrader = isTrader;
  }

  async latest(options: { readonly minHeight?: number }): Promise<Ranking> {
    const last = this.#last;
    if (last !== undefined && this.#history.asOf.timeMs < last.untilMs) return last;
    this.#running ??= this.#compare(options).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #compare(options: { readonly minHeight?: number }): Promise<Ranking> {
    const lists = new Map(
      RANKED_WINDOWS.flatMap((window) => SORTS.map((by) => [`${window} ${by}`, [] as Placed[]])),
    );
    let from: number | null = 0;
    let first: AsOf | undefined;
    let accounts = 0;
    while (from !== null) {
      const { answer, asOf }: Portion = await this.#ask(from, first?.height ?? options.minHeight);
      first ??= asOf;
      const traders = answer.rows.filter(({ user }) => this.#isTrader(user));
      for (const [at, window] of RANKED_WINDOWS.entries()) {
        for (const by of SORTS) {
          const list = `${window} ${by}`;
          lists.set(list, merged(lists.get(list) ?? [], traders, { at, by }));
        }
      }
      accounts = from + PORTION;
      from = answer.next;
    }
    const { height, timeMs } = first ?? this.#history.asOf;
    const ranking: Ranking = {
      height,
      timeMs,
      untilMs: timeMs + accounts * SERVES_MS_PER_ACCOUNT,
      leaders: (window, by) => (lists.get(`${window} ${by}`) ?? []).map(({ user }) => user),
    };
    this.#last = ranking;
    return ranking;
  }

  #ask(from: number, minHeight: number | undefined): Promise<Portion> {
    const asked = { accounts: { from, limit: PORTION }, windows: RANKED_WINDOWS };
    return this.#history.ask('accountGains', asked, minHeight === undefined ? {} : { minHeight });
  }
}

type Portion = { readonly answer: Answer<'accountGains'>; readonly asOf: AsOf };

type Placed = Gain & { readonly user: Address };

/** Returns the best accounts from the list and the new batch combined. */
function merged(
  list: readonly Placed[],
  rows: readonly AccountGains[],
  { at, by }: { readonly at: number; readonly by: SortBy },
): Placed[] {
  const worst = list.length < KEPT_MAX ? -Infinity : (list.at(-1)?.[by] ?? -Infinity);
  const better = rows.flatMap(({ gains, user }): Placed[] => {
    const gain = gains[at];
    if (gain === undefined || isIdle(gain) || gain[by] < worst) return [];
    return [{ ...gain, user }];
  });
  return [...list, ...better].sort(byMost(by)).slice(0, KEPT_MAX);
}

/** Returns true for an account with neither gain nor volume; such accounts are not ranked. */
export function isIdle({ pnl, volume }: Gain): boolean {
  return pnl === 0 && volume === 0;
}

/**
 * Compares by the highest value, and by address if the values are equal, so that the order is
 * stable.
 */
export function byMost(by: SortBy): (left: Placed, right: Placed) => number {
  return (left, right) => right[by] - left[by] || (left.user < right.user ? -1 : 1);
}
