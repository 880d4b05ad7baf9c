import type { SeededRandom } from '../support/seeded.ts';

/**
 * A random history as plain data. Steps refer to accounts and markets by index and to amounts by
 * fraction, so that a history stays valid when steps are removed.
 */

/** The participants: first the accounts of the single owner, then all other accounts. */
export type Opening = {
  readonly perps: readonly { readonly maxLeverage: number; readonly mmrE8: number }[];
  readonly owners: readonly Person[];
  readonly others: readonly Person[];
  readonly fundUsdc: number;
};

export type Person = {
  readonly usdc: number;
  readonly isHedged: boolean;
  /** The margin mode in each market. */
  readonly isIsolated: readonly boolean[];
  readonly leverage: readonly number[];
  /**
   * An honest maker's quoting terms. An account without quotes trades only in steps that name it.
   */
  readonly quotes?: Quotes;
};

/** A maker's quotes on both sides of the fair price in the first market. */
export type Quotes = {
  readonly everyMs: number;
  /** Half of the spread, in ten-thousandths of the fair price. */
  readonly half: number;
  readonly levels: number;
  readonly lots: number;
  /** The largest position, in lots, that the maker's quotes may build up. */
  readonly inventory: number;
  readonly timeInForce: 'gtc' | 'alo';
};

/** An account's action. Its prices are distances from the mark, in thousandths. */
export type Act =
  | {
      readonly kind: 'order';
      readonly who: number;
      readonly perp: number;
      readonly isBuy: boolean;
      readonly away: number;
      readonly share: number;
      readonly timeInForce: 'gtc' | 'alo' | 'ioc';
      readonly reduceOnly: boolean;
    }
  | {
      readonly kind: 'exit';
      readonly who: number;
      readonly perp: number;
      readonly trigger: 'takeProfit' | 'stopLoss';
      readonly away: number;
      readonly isMarket: boolean;
    }
  | { readonly kind: 'margin'; readonly who: number; readonly nth: number; readonly share: number }
  | {
      readonly kind: 'leverage';
      readonly who: number;
      readonly perp: number;
      readonly leverage: number;
    }
  | { readonly kind: 'send'; readonly who: number; readonly to: number; readonly share: number }
  | { readonly kind: 'aside'; readonly who: number; readonly share: number }
  | { readonly kind: 'withdraw'; readonly who: number; readonly share: number }
  | { readonly kind: 'cancel'; readonly who: number }
  | { readonly kind: 'reverse'; readonly who: number; readonly perp: number };

export type Step =
  | Act
  | {
      readonly kind: 'deal';
      readonly buyer: number;
      readonly seller: number;
      readonly perp: number;
      readonly away: number;
      readonly share: number;
    }
  /** Time passes, prices move by thousandths, and some accounts act in the same entry. */
  | {
      readonly kind: 'prices';
      readonly seconds: number;
      readonly moves: readonly number[];
      readonly acts: readonly Act[];
    }
  /** The hour ends with recent prices, so that funding is paid. */
  | { readonly kind: 'hour'; readonly moves: readonly number[] }
  | { readonly kind: 'hush'; readonly perp: number; readonly isHushed: boolean }
  | { readonly kind: 'halt'; readonly perp: number; readonly isHalted: boolean }
  | { readonly kind: 'delist'; readonly perp: number }
  /** A complete closing hour, with price moves in the middle of it. */
  | { readonly kind: 'close'; readonly perp: number; readonly moves: readonly number[] }
  | Stretch;

/** Time passes in the open world: prices walk, makers quote, and owners repeat their routines. */
export type Stretch = {
  readonly kind: 'stretch';
  readonly seconds: number;
  /** The interval between price pushes, in milliseconds. */
  readonly pushMs: number;
  readonly walk: {
    readonly seed: number;
    /** The largest move per push, in hundred-thousandths. */
    readonly step: number;
    /** One in this many pushes moves the price by 1 to 8 percent. 0 means that none does. */
    readonly gapEvery: number;
  };
  readonly routines: readonly Routine[];
  /** Single actions, each with the number of the sampling interval it occurs in. */
  readonly acts: readonly { readonly at: number; readonly act: Act }[];
};

/** An order that an owner repeats around the instants at which the premium is sampled. */
export type Routine = {
  /**
   * `rest` keeps an order in the book. `follow` replaces it when the price has moved. `flash`
   * places it before a sample and cancels it in the sample's entry. `amend` moves a resting order
   * to the price and back again. `sweep` sends an `Ioc` order.
   */
  readonly kind: 'rest' | 'follow' | 'flash' | 'amend' | 'sweep';
  readonly who: number;
  readonly perp: number;
  readonly isBuy: boolean;
  /** The distance from the oracle price, in thousandths. */
  readonly away: number;
  readonly share: number;
  readonly timeInForce: 'gtc' | 'alo';
  readonly reduceOnly: boolean;
  /** The time between the order and the sample, in milliseconds. */
  readonly leadMs: number;
  /** The order is repeated at every n-th sample. */
  readonly every: number;
};

export type History = { readonly opening: Opening; readonly steps: readonly Step[] };

export function randomHistory(random: SeededRandom): History {
  const opening = randomOpening(random);
  const steps: Step[] = [];
  const people = opening.owners.length + opening.others.length;
  const perps = opening.perps.length;
  const cast = { random, owners: opening.owners.length, people, perps };
  for (let orders = random.pick([0, 0, 3, 8]); orders > 0; orders--) steps.push(quote(cast));
  for (let scenes = 2 + random.below(4); scenes > 0; scenes--) steps.push(...scene(cast));
  return { opening, steps };
}

function randomOpening(random: SeededRandom): Opening {
  const perps = Array.from({ length: 2 + random.below(2) }, () =>
    random.pick([
      { maxLeverage: 50, mmrE8: 1_000_000 },
      { maxLeverage: 20, mmrE8: 2_500_000 },
      { maxLeverage: 20, mmrE8: 1_000_000 },
    ]),
  );
  const person = (fundsByAccount: readonly number[]): Person => {
    const mode = random.below(4);
    return {
      usdc: random.pick(fundsByAccount),
      isHedged: random.below(3) === 0,
      isIsolated: perps.map(() => (mode > 1 ? random.below(2) === 0 : mode === 1)),
      leverage: perps.map(({ maxLeverage }) => Math.min(maxLeverage, random.pick([3, 10, 20, 50]))),
    };
  };
  return {
    perps,
    owners: Array.from({ length: 2 + random.below(3) }, () =>
      person([60, 500, 2_000, 5_000, 20_000]),
    ),
    others: Array.from({ length: 2 + random.below(3) }, () =>
      person([300, 5_000, 100_000, 1_000_000]),
    ),
    fundUsdc: random.pick([0, 0, 30, 1_000, 10_000, 100_000]),
  };
}

export type Cast = {
  readonly random: SeededRandom;
  readonly owners: number;
  readonly people: number;
  readonly perps: number;
};

const owner = ({ random, owners }: Cast): number => random.below(owners);
const other = ({ random, owners, people }: Cast): number => owners + random.below(people - owners);
const anyone = ({ random, people }: Cast): number => random.below(people);
const market = ({ random, perps }: Cast): number => random.below(perps);

/** Returns a few related steps that random choices would rarely combine. */
function scene(cast: Cast): Step[] {
  const { random } = cast;
  if (random.below(40) === 0) {
    const perp = market(cast);
    return [deal(cast, perp), { kind: 'close', perp, moves: movesOf(cast) }];
  }
  switch (random.below(7)) {
    case 0:
    case 1:
      return gap(cast);
    case 2:
    case 3:
      return lostPrice(cast);
    case 4:
      return unwinding(cast);
    default:
      return Array.from({ length: 3 + random.below(6) }, () => anyStep(cast));
  }
}

/**
 * Creates opposite positions, untriggered TP/SL orders and offers near the next price, followed by
 * a price gap.
 */
function gap(cast: Cast): Step[] {
  const { random } = cast;
  const perp = market(cast);
  const jump = random.pick([-1, 1]) * random.pick([15, 25, 60, 100, 200, 400]);
  const steps: Step[] = [];
  for (let deals = 1 + random.below(4); deals > 0; deals--) steps.push(deal(cast, perp));
  if (random.below(2) === 0) steps.push(deal(cast, market(cast)));
  if (random.below(3) > 0) {
    const away = Math.round((jump * (3 + random.below(6))) / 10);
    const trigger = random.pick(['takeProfit', 'takeProfit', 'stopLoss'] as const);
    const isMarket = random.below(4) > 0;
    for (let at = 0; at < cast.owners; at++) {
      steps.push({ kind: 'exit', who: at, perp, trigger, away, isMarket });
    }
  }
  for (let offers = random.below(3); offers > 0; offers--) {
    steps.push({
      kind: 'order',
      who: random.below(3) === 0 ? owner(cast) : other(cast),
      perp,
      isBuy: jump > 0,
      away: jump + Math.sign(-jump) * random.below(8),
      share: 20 + random.below(80),
      timeInForce: 'gtc',
      reduceOnly: false,
    });
  }
  const moves = movesOf(cast);
  moves[perp] = jump;
  const acts = Array.from({ length: random.pick([0, 0, 1, 3]) }, () =>
    random.below(2) === 0 ? anyAct(cast) : leave(cast),
  );
  steps.push({ kind: 'prices', seconds: 1 + random.below(3), moves, acts });
  if (random.below(2) === 0) steps.push(pause(cast));
  if (random.below(8) === 0) steps.push({ kind: 'hour', moves });
  return steps;
}

/**
 * A market loses its valid price: it is stale, halted, waiting for a first price, or in a failed
 * closing hour. Accounts then try to move money before the price returns.
 */
function lostPrice(cast: Cast): Step[] {
  const { random } = cast;
  const perp = market(cast);
  const who = owner(cast);
  const steps: Step[] = [deal(cast, perp, who)];
  if (random.below(2) === 0) steps.push(deal(cast, market(cast), who));
  const still = movesOf(cast).map(() => 0);
  const prices = (seconds: number): Step => ({ kind: 'prices', seconds, moves: still, acts: [] });
  const hush = (isHushed: boolean): Step => ({ kind: 'hush', perp, isHushed });
  const way = random.below(4);
  if (way === 0) steps.push({ kind: 'halt', perp, isHalted: true });
  else if (way > 1) steps.push(hush(true), prices(31 + random.below(30)));
  else {
    const isLost = random.below(2) === 0;
    steps.push({ kind: 'delist', perp }, hush(true), prices(isLost ? 1_900 : 3_600));
    if (isLost) steps.push(hush(false), prices(1));
  }
  for (let tries = 2 + random.below(5); tries > 0; tries--) steps.push(escape(cast, who));
  if (way === 0) steps.push({ kind: 'halt', perp, isHalted: false });
  else steps.push(hush(false));
  const moves = movesOf(cast);
  moves[perp] = random.pick([-1, 1]) * random.pick([20, 100, 500]);
  steps.push({ kind: 'prices', seconds: 1, moves, acts: [] }, pause(cast));
  return steps;
}

/** Returns an attempt to move money before the gap is settled. */
function leave(cast: Cast): Act {
  const { random } = cast;
  const share = random.pick([50, 100, 200, 500]);
  const who = owner(cast);
  switch (random.below(4)) {
    case 0:
      return { kind: 'send', who, to: owner(cast), share };
    case 1:
      return {
        kind: 'margin',
        who,
        nth: random.below(2),
        share: random.pick([-90, -60, 100, 300]),
      };
    default:
      return { kind: random.pick(['aside', 'withdraw'] as const), who, share };
  }
}

function escape(cast: Cast, who: number): Step {
  const { random } = cast;
  const share = random.pick([30, 90, 100]);
  const perp = market(cast);
  switch (random.below(10)) {
    case 0:
      return { kind: 'send', who, to: owner(cast), share };
    case 1:
      return random.below(2) === 0
        ? { kind: 'withdraw', who, share }
        : { kind: 'aside', who, share };
    case 2:
    case 3:
      return { kind: 'margin', who, nth: random.below(2), share: random.pick([-60, -95, 90, 100]) };
    case 4:
    case 5: {
      // The trade with a colluding account is far from the mark.
      const away = random.pick([0, -30, 30, -150, 150]);
      const [buyer, seller] = random.below(2) === 0 ? [who, owner(cast)] : [owner(cast), who];
      return { kind: 'deal', buyer, seller, perp, away, share: random.pick([5, 30, 90]) };
    }
    case 6:
    case 7:
      return { kind: 'leverage', who, perp, leverage: random.pick([1, 2, 5, 20]) };
    default:
      return deal(cast, perp, who);
  }
}

/** An account fails while there are no buyers, and the owner waits for the fund to sell. */
function unwinding(cast: Cast): Step[] {
  const { random } = cast;
  const perp = market(cast);
  const jump = random.pick([-1, 1]) * random.pick([12, 16, 20, 25, 40]);
  const moves = movesOf(cast).map(() => 0);
  const still = [...moves];
  moves[perp] = jump;
  const steps: Step[] = [deal(cast, perp), deal(cast, perp)];
  for (let who = 0; who < cast.people; who++) steps.push({ kind: 'cancel', who });
  steps.push({ kind: 'prices', seconds: 1, moves, acts: [] });
  steps.push({ kind: 'prices', seconds: 1, moves: still, acts: [] });
  for (let rounds = 3 + random.below(8); rounds > 0; rounds--) {
    steps.push({
      kind: 'order',
      who: owner(cast),
      perp,
      isBuy: jump < 0,
      away: Math.sign(jump) * (1 + random.below(11)),
      share: 10 + random.below(90),
      timeInForce: 'gtc',
      reduceOnly: false,
    });
    steps.push({ kind: 'prices', seconds: 10, moves: still, acts: [] });
  }
  return steps;
}

function anyStep(cast: Cast): Step {
  const { random } = cast;
  const perp = market(cast);
  switch (random.below(14)) {
    case 0:
    case 1:
    case 2:
      return deal(cast, perp);
    case 3:
    case 4:
      return pause(cast);
    case 5:
      return { kind: 'hush', perp, isHushed: random.below(2) === 0 };
    case 6:
      return { kind: 'halt', perp, isHalted: random.below(3) === 0 };
    default:
      return anyAct(cast);
  }
}

export function anyAct(cast: Cast): Act {
  const { random } = cast;
  const perp = market(cast);
  const who = random.below(2) === 0 ? owner(cast) : anyone(cast);
  const share = random.pick([10, 50, 90, 100, 300]);
  switch (random.below(12)) {
    case 0:
      return { kind: 'send', who: owner(cast), to: owner(cast), share };
    case 1:
      return random.below(2) === 0
        ? { kind: 'withdraw', who, share }
        : { kind: 'aside', who, share };
    case 2:
      return { kind: 'margin', who, nth: random.below(2), share: random.pick([-90, -30, 30, 90]) };
    case 3:
      return { kind: 'leverage', who, perp, leverage: random.pick([1, 3, 10, 20, 50]) };
    case 4:
      return { kind: 'cancel', who };
    case 5:
      return { kind: 'reverse', who, perp };
    case 6:
    case 7: {
      const trigger = random.pick(['takeProfit', 'stopLoss'] as const);
      const away = random.below(300) - 150;
      return { kind: 'exit', who, perp, trigger, away, isMarket: random.below(3) > 0 };
    }
    default:
      return {
        kind: 'order',
        who,
        perp,
        isBuy: random.below(2) === 0,
        away: random.below(41) - 20,
        share,
        timeInForce: random.pick(['gtc', 'gtc', 'alo', 'ioc']),
        reduceOnly: random.below(3) === 0,
      };
  }
}

export function deal(cast: Cast, perp: number, who?: number): Step {
  const { random } = cast;
  const first = who ?? (random.below(3) > 0 ? owner(cast) : anyone(cast));
  const second = random.below(2) === 0 ? owner(cast) : other(cast);
  const [buyer, seller] = random.below(2) === 0 ? [first, second] : [second, first];
  const away = random.below(5) === 0 ? random.below(21) - 10 : 0;
  return { kind: 'deal', buyer, seller, perp, away, share: random.pick([20, 50, 90, 95]) };
}

/** Places another account's order near the mark. Its size is either small or large. */
function quote(cast: Cast): Step {
  const { random } = cast;
  const isBuy = random.below(2) === 0;
  return {
    kind: 'order',
    who: other(cast),
    perp: market(cast),
    isBuy,
    away: (isBuy ? -1 : 1) * (1 + random.below(60)),
    share: random.pick([1, 10, 50]),
    timeInForce: 'gtc',
    reduceOnly: false,
  };
}

function pause(cast: Cast): Step {
  const seconds = cast.random.pick([1, 1, 2, 10, 40, 3_600]);
  if (cast.random.below(8) === 0) return { kind: 'hour', moves: movesOf(cast) };
  return { kind: 'prices', seconds, moves: movesOf(cast), acts: [] };
}

export function movesOf({ random, perps }: Cast): number[] {
  return Array.from({ length: perps }, () =>
    random.below(2) === 0 ? 0 : random.below(random.pick([7, 31, 121])) * random.pick([-1, 1]),
  );
}
