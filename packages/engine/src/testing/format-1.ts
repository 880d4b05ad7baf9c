import type { StateDump } from '../dump/dump.ts';
import type { Format1Dump } from '../dump/from-format-1.ts';

/** Today's dump as release 0.1.0 would have written it: without what has come since. */
export function asFormat1(state: StateDump): Format1Dump {
  const plain = JSON.parse(JSON.stringify(state)) as StateDump;
  const { fundUnwindBands: _bands, orders, outcomes, parameters, perps, waiting, ...rest } = plain;
  const { insuranceUnwindStepE8: _step, ...parameters1 } = parameters ?? {};
  const old = {
    ...rest,
    format: 2,
    parameters: parameters === null ? null : parameters1,
    orders: orders.map((row) => row.slice(0, 16)),
    waiting: { ...waiting, triggers: waiting.triggers.map((row) => row.slice(0, 17)) },
    perps: perps.map(({ closing: _closing, ...perp }) => ({ ...perp, twap: [0, []] })),
    outcomes: {
      ...outcomes,
      markets: outcomes.markets.map((market) => ({ ...market, settleCursor: 0 })),
      prices: outcomes.prices.map((row) => row.slice(0, 3)),
    },
  };
  return old as unknown as Format1Dump;
}
