import { LIMITS } from '../messages/limits.ts';
import { DUMP_VERSION, type StateDump } from './dump.ts';

/**
 * The parts of the dump whose shape under rules 3 (release 0.3.0) differs from today's. A part that
 * gains a field is declared here without it, and the function below fills it with the value that a
 * venue of 0.3.0 has there.
 */
type Parts = {
  readonly bridge?: BridgeOfRules3;
};

type BridgeDump = NonNullable<StateDump['bridge']>;
type BridgeOfRules3 = Omit<BridgeDump, 'bookedBlock'>;

/** Fields of the dump itself that rules 3 did not have. */
type Added = 'terms';

/** The dump of rules 3. */
export type Rules3Dump = Omit<StateDump, 'format' | Added | keyof Parts> &
  Parts & { readonly format: 5 };

/** Migrates a dump of rules 3. Pure: the era's first state depends on nothing else (R-era). */
export function fromRules3(dump: Rules3Dump): StateDump {
  const { bridge, ...rest } = dump;
  return {
    ...rest,
    format: DUMP_VERSION,
    perps: withCappedPremiums(dump.perps),
    terms: [],
    ...(bridge === undefined ? {} : { bridge: withBookedBlock(bridge) }),
  };
}

/**
 * Rules 3 sampled premiums without a cap. The sum of the current hour is limited to what rules 4
 * could have sampled, so the upgrade pays no premium that rules 4 would not pay.
 */
function withCappedPremiums(perps: StateDump['perps']): StateDump['perps'] {
  return perps.map((perp) => {
    const [sum, samples] = perp.funding;
    const most = BigInt(samples) * BigInt(LIMITS.premiumCapE8) * 100n;
    const capped = BigInt(sum) > most ? most : BigInt(sum) < -most ? -most : BigInt(sum);
    return { ...perp, funding: [String(capped), samples] };
  });
}

/**
 * Rules 3 recorded no block of settled withdrawals, so the last credited deposit gives the block.
 */
function withBookedBlock(bridge: BridgeOfRules3): BridgeDump {
  return { ...bridge, bookedBlock: bridge.cursor[0] };
}
