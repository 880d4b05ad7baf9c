import { present } from '@oddlot/units';
import type { TimeInForce } from '../messages/command.ts';

/** Time in force as the order pool holds it. The order of this list is part of the dump format. */
const TIMES_IN_FORCE: readonly TimeInForce[] = ['gtc', 'gtd', 'alo', 'ioc', 'market'];

export function timeInForceCode(value: TimeInForce): number {
  return TIMES_IN_FORCE.indexOf(value);
}

export function timeInForceOf(code: number): TimeInForce {
  return present(TIMES_IN_FORCE[code], `time in force ${code}`);
}
