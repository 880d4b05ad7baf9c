import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { auditSection } from './audit.ts';
import { backtestSection } from './backtest.ts';
import { bookSection } from './book.ts';
import { bridgeSection } from './bridge.ts';
import { clusterSection } from './cluster.ts';
import { marksSection } from './crowd.ts';
import { engineSection, replaySection } from './engine.ts';
import { fanoutSection } from './fanout.ts';
import { growthSection } from './growth.ts';
import { historySection } from './history.ts';
import { hostileSection } from './hostile.ts';
import { journalSection } from './journal.ts';
import { latencySection } from './latency.ts';
import { readsSection } from './reads.ts';
import { machine, type Row, type Scale, type Section, skipped, table } from './report.ts';
import { recoverySection, requestSection } from './request.ts';
import { restartSection } from './restart.ts';
import { settlementSection } from './settlement.ts';

/**
 * Runs sections of the benchmark. `npm run bench` lists the sections, `--all` runs all of them, and
 * `--only book,engine` runs only those named. `--quick` uses smaller inputs. Each section runs in
 * its own process, because code compiled and memory used by one section would affect the next.
 */

const SECTIONS: Readonly<Record<string, Section>> = {
  book: bookSection,
  engine: engineSection,
  marks: marksSection,
  settlement: settlementSection,
  bridge: bridgeSection,
  recovery: recoverySection,
  request: requestSection,
  latency: latencySection,
  reads: readsSection,
  fanout: fanoutSection,
  growth: growthSection,
  journal: journalSection,
  replay: replaySection,
  audit: auditSection,
  backtest: backtestSection,
  history: historySection,
  restart: restartSection,
  hostile: hostileSection,
  cluster: clusterSection,
};

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    section: { type: 'string' },
  },
});
const scale: Scale = values.quick ? 'quick' : 'full';

if (values.section !== undefined) await runOne(values.section);
else if (values.all) await runAll(Object.keys(SECTIONS));
else if (values.only !== undefined) await runAll(values.only.split(','));
else listSections();

function listSections(): void {
  console.log(`Sections:\n${Object.keys(SECTIONS).join('\n')}\n`);
  console.log('Run one with --only NAME, all with --all. bench/README.md describes them.');
}

async function runAll(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !(name in SECTIONS));
  if (unknown !== undefined) {
    console.error(`Unknown section ${unknown}. Use one of ${Object.keys(SECTIONS).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  const rows: Row[] = [];
  for (const name of names) {
    console.error(`${name} …`);
    rows.push(...(await inChild(name)));
  }
  console.log(`\n${machine()}, ${new Date().toISOString().slice(0, 10)}, ${scale} inputs\n`);
  console.log(table(rows));
}

/** Runs a section in a child process. A section that fails becomes a row in the table. */
function inChild(name: string): Promise<readonly Row[]> {
  const quick = values.quick ? ['--quick'] : [];
  const child = fork(import.meta.filename, ['--section', name, ...quick], {
    execArgv: [...process.execArgv, '--expose-gc'],
  });
  return new Promise((resolve) => {
    let rows: readonly Row[] | undefined;
    child.on('message', (message) => {
      rows = message as readonly Row[];
    });
    child.on('exit', (code) => {
      if (rows === undefined) process.exitCode = 1;
      resolve(rows ?? [skipped(name, `failed with code ${code}: see above`)]);
    });
  });
}

async function runOne(name: string): Promise<void> {
  const section = SECTIONS[name];
  if (section === undefined) throw new Error(`no section ${name}`);
  const rows = await section(scale);
  if (process.send === undefined) console.log(table(rows));
  else process.send(rows);
}
