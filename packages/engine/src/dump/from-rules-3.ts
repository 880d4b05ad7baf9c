import { LIMITS } from '../messages/limits.ts';
import { DUMP_VERSION } from '../messages/versions.ts';
import type { StateDump } from './dump.ts';

/**
 * The parts of the dump whose shape under rules 3 (release 0.3.0) differs from today's. A part that gains
 * a field is declared here without it, and the function below fills it with the value that a venue of
 * 0.3.0 has there.
 */
type Parts = Record<never, never>;

/** The dump of rules 3. */
export type Rules3Dump = Omit<StateDump, 'format' | keyof Parts> & Parts & { readonly format: 5 };

/** Migrates a dump of rules 3. Pure: the era's first state depends on nothing else (R-era). */
export function fromRules3(dump: Rules3Dump): StateDump {
  return { ...dump, format: DUMP_VERSION, perps: withCappedPremiums(dump.perps) };
}

/**
 * Rules 3 sampled premiums without a cap. The hour in progress keeps no more of them than rules 4 could
 * have sampled, so that a premium that nobody could have traded at is not paid after the upgrade.
 */
function withCappedPremiums(perps: StateDump['perps']): StateDump['perps'] {
  return perps.map((perp) => {
    const [sum, samples] = perp.funding;
    const most = BigInt(samples) * BigInt(LIMITS.premiumCapE8) * 100n;
    const capped = BigInt(sum) > most ? most : BigInt(sum) < -most ? -most : BigInt(sum);
    return { ...perp, funding: [String(capped), samples] };
  });
}
