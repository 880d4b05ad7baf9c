import type { SeededRandom } from '../support/seeded.ts';
import {
  anyAct,
  type Cast,
  deal,
  type History,
  movesOf,
  type Opening,
  type Person,
  type Routine,
  type Step,
  type Stretch,
} from './history.ts';

/**
 * Returns a history of the open world with colluding owners, honest holders, and honest makers
 * quoting around the fair price. The owners try to gain funding, so the history starts with
 * positions and continues with minutes or hours of attacks on the book.
 */

/**
 * Durations of a stretch, in seconds. Ten minutes at a high premium are enough to raise a funding
 * rate above the bound, so only some stretches last an hour.
 */
const SECONDS = [60, 150, 300, 600, 600, 1_200, 3_600];

export function randomOpenHistory(random: SeededRandom): History {
  const opening = randomOpening(random);
  const owners = opening.owners.length;
  const people = owners + opening.others.length;
  const cast = { random, owners, people, perps: opening.perps.length };
  const still = opening.perps.map(() => 0);
  const steps: Step[] = [];
  const isClosing = random.below(5) === 0;
  // If the closing hour begins along with the funding hour, the market is open at only a few
  // samples.
  const seconds = isClosing ? random.below(300) : random.below(3_500);
  steps.push({ kind: 'prices', seconds, moves: still, acts: [] });
  if (random.below(4) === 0) steps.push(...fundPosition(cast, opening));
  const isShort = random.below(2) === 0;
  for (let deals = 1 + random.below(4); deals > 0; deals--) steps.push(position(cast, isShort));
  // The position is large enough for reduce-only orders to reach the impact notional.
  if (isClosing) steps.push(largePosition(cast, isShort));
  if (random.below(4) === 0) steps.push(deal(cast, opening.perps.length - 1));
  if (isClosing) return { opening, steps: [...steps, ...closingScenes(cast, isShort)] };
  for (let scenes = 1 + random.below(3); scenes > 0; scenes--) {
    for (let before = random.below(3); before > 0; before--) steps.push(disturbance(cast));
    steps.push(stretch(cast, isShort, random.pick(SECONDS)));
    if (random.below(3) > 0)
      steps.push({ kind: 'hour', moves: random.pick([still, movesOf(cast)]) });
  }
  steps.push({ kind: 'hour', moves: still });
  return { opening, steps };
}

/**
 * Returns the history with one random change. The search continues with whichever history has the
 * larger gain.
 */
export function mutated(history: History, random: SeededRandom): History {
  const { opening, steps } = history;
  const owners = opening.owners.length;
  const people = owners + opening.others.length;
  const cast = { random, owners, people, perps: opening.perps.length };
  const isShort = random.below(2) === 0;
  const at = 1 + random.below(Math.max(1, steps.length - 1));
  switch (random.below(10)) {
    case 0:
      return { opening, steps: steps.toSpliced(at, 1) };
    case 1:
      return { opening, steps: steps.toSpliced(1, 0, position(cast, isShort)) };
    case 2: {
      // The makers come last among the other accounts.
      const others = opening.others.slice(0, Math.max(1, opening.others.length - 1));
      return { opening: { ...opening, others }, steps };
    }
    default: {
      const places = [...steps.keys()].filter((each) => steps[each]?.kind === 'stretch');
      if (places.length === 0) return { opening, steps: [...steps, stretch(cast, isShort, 600)] };
      const place = random.pick(places);
      const step = steps[place];
      if (step?.kind !== 'stretch') return history;
      return { opening, steps: steps.with(place, mutatedStretch(cast, isShort, step)) };
    }
  }
}

function mutatedStretch(cast: Cast, isShort: boolean, step: Stretch): Stretch {
  const { random } = cast;
  const { routines, walk } = step;
  const at = random.below(Math.max(1, routines.length));
  const one = routines[at] ?? routine(cast, isShort);
  switch (random.below(8)) {
    case 0:
      return { ...step, seconds: random.pick(SECONDS) };
    case 1:
      return { ...step, walk: { ...walk, step: 0, gapEvery: 0 } };
    case 2:
      return { ...step, routines: routines.toSpliced(at, 1) };
    case 3:
      return { ...step, routines: [...twoSided(cast, isShort), ...routines].slice(0, 5) };
    case 4:
      return { ...step, routines: [...routines, routine(cast, isShort)].slice(-5) };
    case 5:
      return { ...step, acts: [] };
    default: {
      const { away, kind, leadMs, share, who } = routine(cast, isShort);
      const change = random.pick([
        { away: (one.away * 3) / 2 },
        { away },
        { kind },
        { leadMs },
        { share },
        { who },
      ]);
      const changed = { ...one, ...change };
      const bounded = Math.max(-790, Math.min(790, Math.round(changed.away)));
      return { ...step, routines: routines.toSpliced(at, 1, { ...changed, away: bounded }) };
    }
  }
}

function randomOpening(random: SeededRandom): Opening {
  const perps = Array.from({ length: 1 + random.below(2) }, () =>
    random.pick([
      { maxLeverage: 50, mmrE8: 1_000_000 },
      { maxLeverage: 20, mmrE8: 2_500_000 },
      { maxLeverage: 20, mmrE8: 1_000_000 },
    ]),
  );
  const person = (fundsByAccount: readonly number[], isHonest: boolean): Person => {
    const isIsolated = !isHonest && random.below(5) === 0;
    return {
      usdc: random.pick(fundsByAccount),
      isHedged: !isHonest && random.below(8) === 0,
      isIsolated: perps.map(() => isIsolated),
      leverage: perps.map(({ maxLeverage }) =>
        Math.min(maxLeverage, random.pick([2, 5, 10, 20, 50])),
      ),
    };
  };
  const maker = (): Person => ({
    ...person([5_000, 30_000, 200_000], true),
    quotes: {
      everyMs: random.pick([1_000, 2_000, 5_000, 10_000, 30_000]),
      half: random.pick([2, 5, 10, 30, 100]),
      levels: 1 + random.below(3),
      lots: random.pick([50, 500, 5_000, 20_000]),
      inventory: random.pick([500, 5_000, 50_000]),
      timeInForce: random.pick(['gtc', 'alo'] as const),
    },
  });
  return {
    perps,
    owners: Array.from({ length: 1 + random.below(4) }, () =>
      person([640, 2_000, 20_000, 100_000], false),
    ),
    others: [
      ...Array.from({ length: 1 + random.below(3) }, () =>
        person([2_000, 20_000, 100_000, 500_000], true),
      ),
      ...Array.from({ length: random.below(4) }, maker),
    ],
    fundUsdc: random.pick([0, 1_000, 20_000, 100_000, 500_000]),
  };
}

const owner = ({ random, owners }: Cast): number => random.below(owners);
const honest = ({ random, owners, people }: Cast): number => owners + random.below(people - owners);
const market = ({ random, perps }: Cast): number => (random.below(5) === 0 ? perps - 1 : 0);

/**
 * Opens a position for an owner against an honest account near the mark. It represents earlier
 * trades.
 */
function position(cast: Cast, isShort: boolean): Step {
  const { random } = cast;
  const [own, other] = [owner(cast), honest(cast)];
  const [buyer, seller] = isShort === random.below(8) > 0 ? [other, own] : [own, other];
  const share = random.pick([5, 20, 50, 90]);
  return { kind: 'deal', buyer, seller, perp: market(cast), away: 0, share };
}

/**
 * Opens a large position for the first owner against the first honest account in the first market.
 */
function largePosition({ owners }: Cast, isShort: boolean): Step {
  const [buyer, seller] = isShort ? [owners, 0] : [0, owners];
  return { kind: 'deal', buyer, seller, perp: 0, away: 0, share: 90 };
}

/**
 * Makes an account fail while the book is empty, so that the insurance fund takes over its
 * position.
 */
function fundPosition(cast: Cast, { perps }: Opening): Step[] {
  const { random } = cast;
  const { maxLeverage, mmrE8 } = perps[0] ?? { maxLeverage: 1, mmrE8: 0 };
  // The price moves far enough that less than two thirds of the maintenance margin remains, but not
  // all of it is lost.
  const remaining = (mmrE8 / 100_000) * (random.below(70) / 100);
  const jump = random.pick([-1, 1]) * Math.round(1_000 / maxLeverage - remaining);
  const [failing, other] = [honest(cast), random.below(2) === 0 ? owner(cast) : honest(cast)];
  const [buyer, seller] = jump < 0 ? [failing, other] : [other, failing];
  const moves = perps.map((_, at) => (at === 0 ? jump : 0));
  const still = perps.map(() => 0);
  return [
    { kind: 'leverage', who: failing, perp: 0, leverage: maxLeverage },
    { kind: 'deal', buyer, seller, perp: 0, away: 0, share: random.pick([5, 20, 60]) },
    { kind: 'prices', seconds: 1, moves, acts: [] },
    { kind: 'prices', seconds: 1, moves: still, acts: [] },
  ];
}

/** Closes the market while the oracle price is moving away from its average. */
function closingScenes(cast: Cast, isShort: boolean): Step[] {
  const { random } = cast;
  const moves = movesOf(cast);
  moves[0] = (isShort ? -1 : 1) * random.pick([-5, 15, 40, 40, 150]);
  const closing = (seconds: number): Stretch => {
    const one = stretch(cast, isShort, seconds);
    // Only reducing orders are accepted, so the first owner, who has the large position, acts more
    // often.
    const routines = one.routines.map((each) => ({
      ...each,
      who: random.below(2) === 0 ? 0 : each.who,
      perp: 0,
      isBuy: isShort,
      away: (isShort ? 1 : -1) * random.pick([2, 5, 11, 30, 100]),
      share: random.pick([30, 95, 100]),
      reduceOnly: true,
    }));
    return { ...one, routines: random.below(4) === 0 ? one.routines : routines };
  };
  return [
    { kind: 'delist', perp: 0 },
    // The mark lags behind a late price move, in proportion to the earlier samples.
    closing(random.pick([300, 900, 1_800, 1_800])),
    { kind: 'prices', seconds: 1 + random.below(5), moves, acts: [] },
    closing(random.pick([600, 900, 1_500])),
    { kind: 'hour', moves: moves.map(() => 0) },
    closing(300),
  ];
}

function disturbance(cast: Cast): Step {
  const { random } = cast;
  const perp = random.below(cast.perps);
  switch (random.below(8)) {
    case 0:
    case 1:
      // Stops the price pushes for the last market, so that owners can hold a position without a
      // valid price while they act in another market.
      return { kind: 'hush', perp: cast.perps - 1, isHushed: random.below(3) > 0 };
    case 2:
      return { kind: 'halt', perp, isHalted: random.below(3) === 0 };
    case 3:
      return { kind: 'prices', seconds: 1 + random.below(40), moves: movesOf(cast), acts: [] };
    case 4:
      return deal(cast, perp);
    default:
      return ownAct(cast);
  }
}

/** Returns an action by the owners in addition to their routines. */
function ownAct(cast: Cast): ReturnType<typeof anyAct> {
  const act = anyAct(cast);
  const who = owner(cast);
  if (act.kind !== 'order') return { ...act, who };
  const away = cast.random.below(3) === 0 ? anywhere(cast) : act.away;
  return { ...act, who, away };
}

/**
 * Returns a distance from the oracle price in thousandths, anywhere in the price band for orders.
 */
function anywhere({ random }: Cast): number {
  return random.below(1_581) - 790;
}

function stretch(cast: Cast, isShort: boolean, seconds: number): Stretch {
  const { random } = cast;
  const isQuiet = random.below(2) === 0;
  return {
    kind: 'stretch',
    seconds,
    pushMs: random.pick([1_000, 2_500, 5_000, 5_000]),
    walk: {
      seed: random.below(1_000_000_000),
      step: isQuiet ? 0 : random.pick([5, 30, 100]),
      gapEvery: random.below(4) === 0 ? 100 : 0,
    },
    routines: [
      ...(random.below(3) === 0 ? twoSided(cast, isShort) : []),
      ...Array.from({ length: 1 + random.below(4) }, () => routine(cast, isShort)),
    ].slice(0, 4),
    acts: Array.from({ length: random.pick([0, 0, 2, 6]) }, () => ({
      at: random.below(Math.ceil(seconds / 5)),
      act: ownAct(cast),
    })),
  };
}

/** Quotes both sides of a book beyond the oracle price. The resulting mid moves the mark. */
function twoSided(cast: Cast, isShort: boolean): Routine[] {
  const { random } = cast;
  const near = random.pick([2, 5, 11, 12, 16, 30]);
  const far = near + random.pick([1, 1, 5, 30, 300]);
  const nearer = { ...routine(cast, isShort), isBuy: isShort, away: isShort ? near : -near };
  const further = { ...routine(cast, isShort), isBuy: !isShort, away: isShort ? far : -far };
  const [share, kind] = [random.pick([2, 10, 30]), random.pick(['rest', 'follow'] as const)];
  return [
    { ...nearer, share, kind: random.below(3) === 0 ? 'flash' : kind, reduceOnly: false },
    { ...further, share: 2, kind, reduceOnly: false },
  ];
}

/**
 * Returns a routine, usually on the side that makes other accounts pay: bids above the oracle price
 * if the owners are short.
 */
function routine(cast: Cast, isShort: boolean): Routine {
  const { random } = cast;
  const isBuy = isShort === random.below(6) > 0;
  const far = random.pick([2, 5, 11, 11, 30, 100, 300, 790]);
  const away = random.below(6) === 0 ? anywhere(cast) : (isBuy ? 1 : -1) * far;
  return {
    kind: random.pick([
      'rest',
      'rest',
      'follow',
      'flash',
      'flash',
      'flash',
      'amend',
      'sweep',
    ] as const),
    who: owner(cast),
    perp: market(cast),
    isBuy,
    away,
    share: random.pick([2, 10, 30, 60, 95]),
    timeInForce: random.below(4) === 0 ? 'alo' : 'gtc',
    reduceOnly: random.below(6) === 0,
    leadMs: random.pick([1, 10, 200, 1_200, 3_000]),
    every: random.pick([1, 1, 1, 2, 12]),
  };
}
