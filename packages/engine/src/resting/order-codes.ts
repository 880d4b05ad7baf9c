import { present } from '@oddlot/units';
import type { TimeInForce } from '../messages/command.ts';

/** Time in force as the order pool holds it. The order of this list is part of the dump format. */
const TIMES_IN_FORCE: readonly TimeInForce[] = ['gtc', 'gtd', 'alo', 'ioc', 'market'];

/** Its place in the list, which every event of an order asks for. */
export function timeInForceCode(value: TimeInForce): number {
  switch (value) {
    case 'gtc':
      return 0;
    case 'gtd':
      return 1;
    case 'alo':
      return 2;
    case 'ioc':
      return 3;
    case 'market':
      return 4;
  }
}

export function timeInForceOf(code: number): TimeInForce {
  return present(TIMES_IN_FORCE[code], `time in force ${code}`);
}
