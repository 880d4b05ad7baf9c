import { PAGE_LIMITS, type Leaderboard, type PortfolioWindow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { AccountGains, Answer, AsOf, History } from '@oddlot/history/history';

type SortBy = Leaderboard['sortBy'];
type Gain = AccountGains['gains'][number];

const RANKED_WINDOWS = ['day', 'week', 'month', 'all'] as const satisfies PortfolioWindow[];
const SORTS = ['pnl', 'volume'] as const satisfies SortBy[];
/** Accounts that are looked at in one turn of the history. */
export const PORTION = 100;
/** Who leads is kept, which is as many as anybody may ask for. */
const KEPT_MAX = PAGE_LIMITS.leaderboard.max;
/** How long a ranking serves, for each account of the venue: to look at one takes the history less than a hundredth of that. */
export const SERVES_MS_PER_ACCOUNT = 5;

/** Who led when all accounts were last compared. */
type Ranking = {
  readonly timeMs: number;
  readonly height: number;
  readonly untilMs: number;
  readonly leaders: (window: PortfolioWindow, sortBy: SortBy) => readonly Address[];
};

/**
 * Who has gained or traded most. All accounts are compared when somebody asks and the last time is too long ago: the more
 * there are, the longer the answer serves, so that it costs the history the same small part of its time. Whoever asks
 * meanwhile waits for the same one.
 */
export class AccountRanking {
  readonly #history: History;
  readonly #isTrader: (user: Address) => boolean;
  #last: Ranking | undefined;
  #running: Promise<Ranking> | undefined;

  /** The fund that insures all of them is an account too, and competes with nobody. */
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

/** The first of a list and of a portion together. */
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

/** Neither gained nor traded: nothing to be shown with. */
export function isIdle({ pnl, volume }: Gain): boolean {
  return pnl === 0 && volume === 0;
}

/** The most first; of two that are alike the one with the lower address, so that the order stands. */
export function byMost(by: SortBy): (left: Placed, right: Placed) => number {
  return (left, right) => right[by] - left[by] || (left.user < right.user ? -1 : 1);
}
