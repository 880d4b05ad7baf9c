import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY, removeTemporaryData } from '../../tests/support/venue-process.ts';
import { machine, skipped, table, type Row } from '../report.ts';
import { busyBook } from './busy-book.ts';
import { firstScreen } from './first-screen.ts';
import { manyMarkets } from './many-markets.ts';
import type { PageScale, PageSection } from './page-report.ts';
import { tenMinutes } from './ten-minutes.ts';
import { venueStart } from './venue-start.ts';

/**
 * `npm run measure:page -- [--quick] [--only first,book] [--json file]`: the page in a real browser, served by a
 * real venue, against the bars that it has set itself. Prints a table and writes the numbers behind it.
 */

const SECTIONS: Readonly<Record<string, PageSection>> = {
  first: firstScreen,
  book: busyBook,
  open: tenMinutes,
  markets: manyMarkets,
  start: venueStart,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: join(REPOSITORY, 'data', 'measure-page.json') },
  },
});
const scale: PageScale = values.quick ? 'quick' : 'full';
const names = values.only?.split(',') ?? Object.keys(SECTIONS);
const unknown = names.find((name) => !(name in SECTIONS));
if (unknown === undefined) await measure();
else {
  console.error(`no section ${unknown}; there are ${Object.keys(SECTIONS).join(', ')}`);
  process.exitCode = 2;
}

async function measure(): Promise<void> {
  const rows: Row[] = [];
  const sections: Record<string, unknown> = {};
  const loadBefore = load();
  for (const name of names) {
    console.error(`${name} …`);
    const before = load();
    try {
      const measured = await SECTIONS[name]!(scale);
      rows.push(...measured.rows);
      sections[name] = { load: [before, load()], rows: measured.rows, details: measured.details };
    } catch (error) {
      console.error(error);
      rows.push(skipped(name, 'failed: see above'));
      process.exitCode = 1;
    }
  }
  await removeTemporaryData();
  const head = { machine: machine(), date: new Date().toISOString(), scale, loadBefore };
  await mkdir(dirname(values.json), { recursive: true });
  await writeFile(values.json, `${JSON.stringify({ ...head, sections }, null, 1)}\n`);
  console.log(`\n${head.machine}, ${head.date.slice(0, 10)}, ${scale}, ${quietness(loadBefore)}\n`);
  console.log(table(rows));
  console.log(`\nwritten to ${values.json}`);
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;
}

/** Runnable processes a core, over the last minute. */
function load(): number {
  return Number(((loadavg()[0] ?? 0) / cpus().length).toFixed(2));
}

/** Numbers of a machine that does other things are worth less, and the table says so. */
function quietness(before: number): string {
  return before < 0.3
    ? 'the machine was quiet'
    : `THE MACHINE WAS BUSY (${before} runnable a core before it began)`;
}
