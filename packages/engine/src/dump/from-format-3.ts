import { DUMP_VERSION } from '../messages/versions.ts';
import type { StateDump } from './dump.ts';
import { addMarginFields, type MarginFormat3 } from './margin-from-format-3.ts';

/**
 * Parts of the dump as release 0.2.0 wrote them (rules 2), where they are others today. A part that
 * gets a field is named here without it, and is filled below by a function that says what an old
 * venue has there, `perps: dump.perps.map(addPerpFields)`: one for each part, in a file of its own
 * (`perps-from-format-3.ts`).
 */
type Parts = MarginFormat3;

/** What release 0.2.0 wrote: today's shape without what has come since. */
export type Format3Dump = Omit<StateDump, 'format' | 'beganMs' | 'fundCosts' | keyof Parts> &
  Parts & { readonly format: 3 };

/** Brings a dump of rules 2 to today's shape. Pure: it alone decides from which state an era starts (R-era). */
export function fromFormat3(dump: Format3Dump): StateDump {
  return { ...dump, ...addMarginFields(dump), beganMs: beganMs(dump), format: DUMP_VERSION };
}

/** The first entry of every log opened the account of the insurance fund, before any other. */
function beganMs({ accounts }: Format3Dump): number {
  return accounts[0]?.createdMs ?? 0;
}
