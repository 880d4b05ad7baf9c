import type { StateDump } from '../dump/dump.ts';
import type { Rules3Dump } from '../dump/from-rules-3.ts';

/** Today's dump in the shape of rules 3: without the fields that were added since. */
export function asRules3(state: StateDump): Rules3Dump {
  const plain = JSON.parse(JSON.stringify(state)) as StateDump;
  return { ...plain, format: 5 };
}
