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

/** Returns the command that reports the oracle prices of perps. */
export type PerpOracle = (state: State, nowMs: number) => PushOracleCommand | undefined;

/**
 * How long a price pushed by an operator is left in place, in milliseconds; shorter than the time
 * after which a price is stale (R-oracle-stale).
 */
export const PUSHED_PRICE_HOLD_MS = 10_000;

/**
 * Returns an oracle with simulated prices, which follow a mean-reverting random walk per perp or
 * repeat the last price. They continue from the last prices in the log, so that a restart causes no
 * jump. A perp listed by an operator has no price until the operator pushes one; the simulated
 * price then walks around it.
 */
export function simulatedOracle(options: {
  readonly moves: boolean;
  readonly pushed: PushedPrices;
  /** Returns a uniformly distributed number in [0, 1). */
  readonly random: () => number;
}): PerpOracle {
  const { moves, pushed, random } = options;
  /**
   * The centre of each perp's walk if no price has been pushed: the perp's price when this process
   * first read it.
   */
  const centres = new Map<number, number>();
  return (state, nowMs) => {
    const coming = pushed.underWay();
    return pushOracle(state, nowMs, (perp) => {
      const { instrumentId } = perp;
      const last = perpView(state, instrumentId)?.oracle ?? firstPrice(perp);
      const push = pushed.ofPerp(instrumentId);
      const isTaken = push !== undefined && nowMs - push.atMs < PUSHED_PRICE_HOLD_MS;
      if (last === undefined || isTaken || coming.hasPerp(instrumentId)) return undefined;
      if (!centres.has(instrumentId)) centres.set(instrumentId, last);
      const centre = push?.price ?? centres.get(instrumentId) ?? last;
      return moves ? nextStep(last, centre, random) : last;
    });
  };
}

/** Returns an initial price for perps listed by the venue itself; other perps have none. */
function firstPrice(perp: PerpDefinition): number | undefined {
  return isFirstPerp(perp) ? startPrice(perp.baseCurrency, priceDecimals(perp)) : undefined;
}

/**
 * Returns an oracle that uses the prices of a feed, for perps whose base currency has a price
 * there.
 */
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

/**
 * A price pushed by an operator, in the units of its instrument or in units of 10^-8 USD, and when
 * the push was executed.
 */
type Pushed = { readonly price: number; readonly atMs: number };

export type PushedPricesOptions = {
  readonly replica: Pick<Replica, 'onBlock'>;
  /** Returns the commands not executed yet that will precede a new proposal in the log. */
  readonly underWay: () => Iterable<Command>;
};

/**
 * Collects the prices pushed by operators since this process started, by perp and by symbol. They
 * take precedence over simulated prices, because an operator may have real information.
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

  /**
   * Returns the instruments with a pushed price that has not been executed yet. A price simulated
   * now would be executed later and would replace it.
   */
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

export type PendingPrices = {
  hasPerp(instrumentId: number): boolean;
  hasSymbol(symbol: string, source: PriceSource): boolean;
};

type Push = { readonly index: number; readonly key: string; readonly price: number };

/**
 * Returns the prices that a command pushes for an operator. Commands from the process itself do not
 * push any.
 */
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
