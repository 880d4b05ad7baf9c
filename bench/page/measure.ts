import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeTemporaryData, REPOSITORY } from '../../tests/support/venue-process.ts';
import { machine, type Row, skipped, table } from '../report.ts';
import { busyBook } from './busy-book.ts';
import { firstScreen } from './first-screen.ts';
import { manyMarkets, tenMinutes } from './growth.ts';
import { type Measured, type PageScale, type PageSection, setStage } from './stage.ts';
import { venueStart } from './venue-start.ts';

/**
 * Measures a real venue's page in a real browser and compares the results with targets (`npm run
 * measure:page -- [--quick] [--only first,book] [--json file]`). It prints a table and writes the
 * details to the file.
 */

/**
 * These sections share a stage and run first, because the start-up of a venue is measured with no
 * other venue running.
 */
const ON_STAGE: Readonly<Record<string, PageSection>> = {
  first: firstScreen,
  book: busyBook,
  open: tenMinutes,
  markets: manyMarkets,
};
const SECTIONS = [...Object.keys(ON_STAGE), 'start'];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: join(REPOSITORY, 'data', 'measure-page.json') },
  },
});
const scale: PageScale = values.quick ? 'quick' : 'full';
const names = values.only?.split(',') ?? SECTIONS;
const unknown = names.find((name) => !SECTIONS.includes(name));
const rows: Row[] = [];
const sections: Record<string, unknown> = {};
if (unknown === undefined) await measure();
else {
  console.error(`Unknown section ${unknown}. Use one of ${SECTIONS.join(', ')}`);
  process.exitCode = 2;
}

async function measure(): Promise<void> {
  const loadBefore = load();
  const onStage = names.filter((name) => name in ON_STAGE);
  if (onStage.length > 0) {
    const stage = await setStage(scale);
    try {
      for (const name of onStage) await keep(name, () => ON_STAGE[name]!(stage));
    } finally {
      await stage.close();
    }
  }
  if (names.includes('start')) await keep('start', () => venueStart({ scale }));
  await removeTemporaryData();
  const head = { machine: machine(), date: new Date().toISOString(), scale, loadBefore };
  await mkdir(dirname(values.json), { recursive: true });
  await writeFile(values.json, `${JSON.stringify({ ...head, sections }, null, 1)}\n`);
  console.log(`\n${head.machine}, ${head.date.slice(0, 10)}, ${scale}, ${quietness(loadBefore)}\n`);
  console.log(table(rows));
  console.log(`\nwritten to ${values.json}`);
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;
}

/** Runs a section. A section that fails becomes a row in the table. */
async function keep(name: string, section: () => Promise<Measured>): Promise<void> {
  console.error(`${name} …`);
  const before = load();
  try {
    const measured = await section();
    rows.push(...measured.rows);
    sections[name] = { load: [before, load()], ...measured };
  } catch (error) {
    console.error(error);
    rows.push(skipped(name, 'failed: see above'));
    process.exitCode = 1;
  }
}

/** Returns the average number of runnable processes per core over the last minute. */
function load(): number {
  return Number(((loadavg()[0] ?? 0) / cpus().length).toFixed(2));
}

/** Describes whether the machine was busy, which makes the numbers less reliable. */
function quietness(before: number): string {
  return before < 0.3
    ? 'the machine was quiet'
    : `THE MACHINE WAS BUSY (${before} runnable a core before it began)`;
}
