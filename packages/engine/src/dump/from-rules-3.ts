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
  return { ...dump, format: DUMP_VERSION };
}
