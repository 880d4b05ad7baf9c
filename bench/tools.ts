import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startVenue } from '@oddlot/testkit';
import { atMost, median, noted, show, sized, type Row, type Scale } from './report.ts';
import { ServerProcess } from './server-process.ts';

/** How long developers wait for a venue: inside of a test, and by `oddlot dev`. */

/** Asked of a venue of a test. */
const START_MS = 300;
const HERE = import.meta.dirname;

export async function toolsSection(scale: Scale): Promise<readonly Row[]> {
  const starts = sized(scale, { full: 9, quick: 5, tiny: 1 });
  const processes = sized(scale, { full: 8, quick: 3, tiny: 1 });
  const first = firstStart(processes);
  const later: number[] = [];
  for (let count = 0; count < starts; count += 1) {
    const startedMs = performance.now();
    const venue = await startVenue();
    later.push(performance.now() - startedMs);
    await venue.stop();
  }
  const loaded = `from the sources, after ${show(first.loadMs)} ms of loading them; the shortest of ${processes} processes`;
  return [
    atMost(
      'start of a testkit venue',
      `wall-clock; the middle of ${starts} in one process`,
      median(later),
      START_MS,
      ' ms',
    ),
    atMost(
      'the first testkit venue in a process',
      `wall-clock; ${loaded}`,
      first.startMs,
      START_MS,
      ' ms',
    ),
    ...(scale === 'tiny' ? [] : [await devStart()]),
  ];
}

type FirstStart = { readonly loadMs: number; readonly startMs: number };

/** In processes that have done nothing else: one that others disturb says little of the start. */
function firstStart(processes: number): FirstStart {
  const program = join(HERE, 'first-start-process.ts');
  const starts = Array.from(
    { length: processes },
    () => JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as FirstStart,
  );
  return starts.reduce((best, each) => (each.startMs < best.startMs ? each : best));
}

async function devStart(): Promise<Row> {
  const startedMs = performance.now();
  const flags = ['dev', '--port', '0', '--no-bots'];
  const venue = await ServerProcess.start('packages/cli/src/main.ts', flags);
  const seconds = (performance.now() - startedMs) / 1_000;
  await venue.stop();
  const words =
    'wall-clock, from the start of the process until ten accounts are funded; from the sources';
  return noted('start of oddlot dev', words, seconds, ' s');
}
