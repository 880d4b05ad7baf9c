import type { StateDump } from '../../../packages/engine/src/dump/dump.ts';
import type { Rules3Dump } from '../../../packages/engine/src/dump/from-rules-3.ts';

/**
 * Converts a current dump to its rules version 3 form, which lacks fields added by later versions.
 */
export function asRules3(state: StateDump): Rules3Dump {
  const plain = JSON.parse(JSON.stringify(state)) as StateDump;
  const { bridge, terms: _, ...rest } = plain;
  return { ...rest, format: 5, ...(bridge === undefined ? {} : { bridge: bridgeOf(bridge) }) };
}

function bridgeOf({
  bookedBlock: _,
  ...bridge
}: NonNullable<StateDump['bridge']>): NonNullable<Rules3Dump['bridge']> {
  return bridge;
}
