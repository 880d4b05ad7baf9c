import {
  type OraclePrice,
  type PerpDefinition,
  perpDefinitions,
  perpView,
  type PushOracleCommand,
  type State,
} from '@oddlot/engine';
import { MONEY_DECIMALS, timeMs } from '@oddlot/units';
import { nextStep, startPrice } from './random-walk.ts';
import { REFERENCE_DECIMALS, type ReferenceFeed } from './reference-feed.ts';

/** What the oracle of perps says, as the command that reports it. */
export type PerpOracle = (state: State, nowMs: number) => PushOracleCommand | undefined;

/**
 * Prices for a venue without real ones: a mean-reverting random walk per perp. It goes on from the
 * last prices of the log, so that nothing jumps at a restart; a still one repeats them.
 */
export function simulatedOracle(options: {
  readonly moves: boolean;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}): PerpOracle {
  return (state, nowMs) =>
    pushOracle(state, nowMs, (perp) => {
      const start = startPrice(perp.baseCurrency, priceDecimals(perp));
      const last = perpView(state, perp.instrumentId)?.oracle ?? start;
      return options.moves ? nextStep(last, start, options.random) : last;
    });
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
