import { LIMITS } from '../messages/limits.ts';
import { DUMP_VERSION, type StateDump } from './dump.ts';

/**
 * The parts of the dump that had a different shape under rules 3 (release 0.3.0). A part that has
 * since gained a field is declared here without it, and the function below adds the value that is
 * correct for a 0.3.0 venue.
 */
type Parts = {
  readonly bridge?: BridgeOfRules3;
};

type BridgeDump = NonNullable<StateDump['bridge']>;
type BridgeOfRules3 = Omit<BridgeDump, 'bookedBlock'>;

/** The fields of the dump itself that did not exist under rules 3. */
type Added = 'terms';

/** A dump of a state under rules 3. */
export type Rules3Dump = Omit<StateDump, 'format' | Added | keyof Parts> &
  Parts & { readonly format: 5 };

/**
 * Migrates a rules 3 dump. The function is pure, because the era's initial state must depend only
 * on the dump (R-era).
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
 * Rules 3 sampled premiums without a cap. The sum for the current hour is limited to the maximum
 * under rules 4, so that the upgrade does not pay a premium that rules 4 would not.
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
 * Rules 3 did not record a block for settled withdrawals, so the block of the last credited deposit
 * is used.
 */
function withBookedBlock(bridge: BridgeOfRules3): BridgeDump {
  return { ...bridge, bookedBlock: bridge.cursor[0] };
}
