import {
  type Command,
  type OraclePrice,
  type PerpDefinition,
  perpDefinitions,
  perpView,
  type PriceSource,
  type PushOracleCommand,
  type State,
} from '@oddlot/engine';
import { MONEY_DECIMALS, timeMs } from '@oddlot/units';
import { isFirstPerp } from '@oddlot/replica/genesis-commands';
import { nextStep, startPrice } from './random-walk.ts';
import { REFERENCE_DECIMALS, type ReferenceFeed } from './reference-feed.ts';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { Replica } from '@oddlot/replica/replica';

/** What the oracle of perps says, as the command that reports it. */
export type PerpOracle = (state: State, nowMs: number) => PushOracleCommand | undefined;

/** What an operator pushed stands alone for this long; less than it takes to become stale (R-oracle-stale). */
export const PUSHED_STANDS_MS = 10_000;

/**
 * Prices for a venue without real ones: a mean-reverting random walk per perp; a still one repeats the last. It
 * goes on from the last prices of the log, so that nothing jumps at a restart. Of a perp that an operator listed it
 * says nothing until it was told what that is worth, and then it walks around what was pushed last.
 */
export function simulatedOracle(options: {
  readonly moves: boolean;
  readonly pushed: PushedPrices;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}): PerpOracle {
  const { moves, pushed, random } = options;
  /** What a perp walks around that nobody pushed a price of: where it stood when this process first looked. */
  const centres = new Map<number, number>();
  return (state, nowMs) => {
    const coming = pushed.underWay();
    return pushOracle(state, nowMs, (perp) => {
      const { instrumentId } = perp;
      const last = perpView(state, instrumentId)?.oracle ?? firstPrice(perp);
      const push = pushed.ofPerp(instrumentId);
      const isTaken = push !== undefined && nowMs - push.atMs < PUSHED_STANDS_MS;
      if (last === undefined || isTaken || coming.hasPerp(instrumentId)) return undefined;
      if (!centres.has(instrumentId)) centres.set(instrumentId, last);
      const centre = push?.price ?? centres.get(instrumentId) ?? last;
      return moves ? nextStep(last, centre, random) : last;
    });
  };
}

/** Only what the venue itself has listed has a price that nobody has said. */
function firstPrice(perp: PerpDefinition): number | undefined {
  return isFirstPerp(perp) ? startPrice(perp.baseCurrency, priceDecimals(perp)) : undefined;
}

/** The oracle prices of a feed, for the perps whose base it knows. */
export function feedOracle(feed: ReferenceFeed): PerpOracle {
  return (state, nowMs) => {
    const prices = new Map(
      feed
        .read(nowMs)
        .filter(({ source }) => source === 'oracle')
        .map(({ priceE8, symbol }) => [symbol, priceE8]),
    );
    return pushOracle(state, nowMs, (perp) => {
      const priceE8 = prices.get(perp.baseCurrency);
      if (priceE8 === undefined) return undefined;
      return Math.round(priceE8 / 10 ** (REFERENCE_DECIMALS - priceDecimals(perp)));
    });
  };
}

/** Decimals of a perp's price. */
export function priceDecimals({ szDecimals }: PerpDefinition): number {
  return MONEY_DECIMALS - szDecimals;
}

function pushOracle(
  state: State,
  nowMs: number,
  priceOf: (perp: PerpDefinition) => number | undefined,
): PushOracleCommand | undefined {
  const prices = perpDefinitions(state).flatMap((perp): OraclePrice[] => {
    const oracle = priceOf(perp);
    return oracle === undefined || oracle <= 0 ? [] : [{ instrumentId: perp.instrumentId, oracle }];
  });
  if (prices.length === 0) return undefined;
  return { type: 'pushOracle', prices, observedMs: timeMs(nowMs) };
}

/** A price that an operator pushed, in the units of its instrument or 10^-8, and when it executed. */
type Pushed = { readonly price: number; readonly atMs: number };

export type PushedPricesOptions = {
  readonly replica: Pick<Replica, 'onBlock'>;
  /** Commands that will be in the log ahead of whatever is proposed now, and have not executed. */
  readonly underWay: () => Iterable<Command>;
};

/**
 * The prices that operators pushed since this process started, by perp and by underlying. A simulated price
 * gives way to them: a walk knows nothing, and an operator may know something.
 */
export class PushedPrices {
  readonly #underWay: () => Iterable<Command>;
  readonly #last = new Map<string, Pushed>();

  constructor({ replica, underWay }: PushedPricesOptions) {
    this.#underWay = underWay;
    replica.onBlock((block) => this.#take(block));
  }

  ofPerp(instrumentId: number): Pushed | undefined {
    return this.#last.get(perpKey(instrumentId));
  }

  ofSymbol(symbol: string, source: PriceSource): Pushed | undefined {
    return this.#last.get(symbolKey(symbol, source));
  }

  /** What prices are on their way for: one that is simulated now would stand after them in the log. */
  underWay(): PendingPrices {
    const keys = new Set<string>();
    for (const command of this.#underWay()) for (const { key } of pushesOf(command)) keys.add(key);
    return {
      hasPerp: (instrumentId) => keys.has(perpKey(instrumentId)),
      hasSymbol: (symbol, source) => keys.has(symbolKey(symbol, source)),
    };
  }

  #take({ commands, result, timeMs: atMs }: AppliedBlock): void {
    for (const [place, { command }] of commands.entries()) {
      const outcome = result.outcomes[place];
      if (outcome?.reject !== undefined) continue;
      const skipped = new Set(outcome?.skipped?.map(({ index }) => index));
      for (const { index, key, price } of pushesOf(command)) {
        if (!skipped.has(index)) this.#last.set(key, { price, atMs });
      }
    }
  }
}

/** The prices that are on their way into the log. */
export type PendingPrices = {
  hasPerp(instrumentId: number): boolean;
  hasSymbol(symbol: string, source: PriceSource): boolean;
};

type Push = { readonly index: number; readonly key: string; readonly price: number };

/** What a command pushes in the name of an operator; those of the process itself have none. */
function pushesOf(command: Command): Push[] {
  if (command.type !== 'pushOracle' && command.type !== 'pushPrice') return [];
  if (command.operator === undefined) return [];
  if (command.type === 'pushOracle') {
    return command.prices.map(({ instrumentId, oracle }, index) => ({
      index,
      key: perpKey(instrumentId),
      price: oracle,
    }));
  }
  return command.prices.map(({ priceE8, source, symbol }, index) => ({
    index,
    key: symbolKey(symbol, source),
    price: priceE8,
  }));
}

function perpKey(instrumentId: number): string {
  return `perp ${instrumentId}`;
}

function symbolKey(symbol: string, source: PriceSource): string {
  return `${source} ${symbol}`;
}
