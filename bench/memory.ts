import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { MemoryUse } from './memory-process.ts';
import { atMost, noted, show, sized, type Row, type Scale } from './report.ts';

/** What a million resting orders take in the engine's state, in a process that holds nothing else. */

const TARGET_MIB = 512;
const MILLION = 1_000_000;

export async function memorySection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: MILLION, quick: 200_000, tiny: 2_000 });
  const accounts = sized(scale, { full: 256, quick: 256, tiny: 4 });
  const program = join(import.meta.dirname, 'memory-process.ts');
  const child = fork(program, [String(orders), String(accounts)], { execArgv: ['--expose-gc'] });
  const [use] = (await once(child, 'message')) as [MemoryUse];
  const words = `${show(orders)} orders of ${accounts} accounts`;
  const heap = `heap and array buffers after a collection, ${show((use.liveMib * 2 ** 20) / orders)} bytes an order`;
  return [
    atMost(
      'memory of the process that holds them',
      `${words}; resident set`,
      use.residentMib,
      TARGET_MIB,
      ' MiB',
    ),
    noted('memory of the state itself', `${words}; ${heap}`, use.liveMib, ' MiB'),
  ];
}
