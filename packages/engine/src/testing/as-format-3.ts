import type { StateDump } from '../dump/dump.ts';
import type { Format3Dump } from '../dump/from-format-3.ts';

/** Today's dump as release 0.2.0 would have written it: without what has come since. */
export function asFormat3(state: StateDump): Format3Dump {
  const plain = JSON.parse(JSON.stringify(state)) as StateDump;
  const { beganMs: _began, fundCosts: _costs, parameters, perps, ...rest } = plain;
  return {
    ...rest,
    parameters: parameters === null ? null : withoutHour(parameters),
    perps: perps.map((perp) => {
      const [price, computedMs] = perp.mark;
      return { ...perp, mark: [price, computedMs] };
    }),
    format: 3,
  };
}

function withoutHour(parameters: NonNullable<StateDump['parameters']>) {
  const { insuranceHourE8: _hour, insuranceInstrumentHourE8: _here, ...before } = parameters;
  return before;
}
