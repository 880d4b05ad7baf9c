import { LIMITS } from '../messages/limits.ts';
import { DUMP_VERSION, type StateDump } from './dump.ts';

/**
 * The parts of the dump that had a different shape under rules 3 (release 0.3.0). A part that has
 * gained a field is declared here without it, and the function below adds the value that is correct
 * for a venue of 0.3.0.
 */
type Parts = {
  readonly bridge?: BridgeOfRules3;
};

type BridgeDump = NonNullable<StateDump['bridge']>;
type BridgeOfRules3 = Omit<BridgeDump, 'bookedBlock'>;

/** The fields of the dump itself that did not exist under rules 3. */
type Added = 'terms';

/** The dump of a state under rules 3. */
export type Rules3Dump = Omit<StateDump, 'format' | Added | keyof Parts> &
  Parts & { readonly format: 5 };

/**
 * Migrates a dump of rules 3. The function is pure, because the era's initial state must depend
 * only on the dump (R-era).
 */
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
 * could have sampled, so that the upgrade pays no premium that rules 4 would not pay.
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
 * Rules 3 recorded no block for settled withdrawals, so the block of the last credited deposit is
 * used.
 */
function withBookedBlock(bridge: BridgeOfRules3): BridgeDump {
  return { ...bridge, bookedBlock: bridge.cursor[0] };
}
