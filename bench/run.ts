import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { auditSection } from './audit.ts';
import { backtestSection } from './backtest.ts';
import { bookSection } from './book.ts';
import { bridgeSection } from './bridge.ts';
import { clusterSection } from './cluster.ts';
import { engineSection } from './engine.ts';
import { fanoutSection } from './fanout.ts';
import { growthSection } from './growth.ts';
import { historySection } from './history.ts';
import { holdersSection } from './holders.ts';
import { hostileSection } from './hostile.ts';
import { insolventSection } from './insolvent.ts';
import { journalSection } from './journal.ts';
import { latencySection } from './latency.ts';
import { marksSection } from './marks.ts';
import { memorySection } from './memory.ts';
import { outcomeMetaSection } from './outcome-meta.ts';
import { outcomesSection } from './outcomes.ts';
import { positionsSection } from './positions.ts';
import { readsSection } from './reads.ts';
import { recoverySection } from './recovery.ts';
import { replaySection } from './replay.ts';
import { machine, skipped, table, type Row, type Scale, type Section } from './report.ts';
import { requestSection } from './request.ts';
import { reservesSection } from './reserves.ts';
import { restartSection } from './restart.ts';
import { settlementSection } from './settlement.ts';
import { toolsSection } from './tools.ts';

/**
 * `npm run bench -- [--only book,engine] [--quick]`: measures, prints one table, keeps nothing. Each
 * section has a process of its own, so that what one compiled or left behind does not slow the next.
 */

const SECTIONS: Readonly<Record<string, Section>> = {
  book: bookSection,
  engine: engineSection,
  positions: positionsSection,
  marks: marksSection,
  outcomes: outcomesSection,
  settlement: settlementSection,
  holders: holdersSection,
  insolvent: insolventSection,
  outcomeMeta: outcomeMetaSection,
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
  tools: toolsSection,
  history: historySection,
  reserves: reservesSection,
  restart: restartSection,
  memory: memorySection,
  hostile: hostileSection,
  cluster: clusterSection,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    section: { type: 'string' },
  },
});
const scale: Scale = values.quick ? 'quick' : 'full';

if (values.section === undefined) await runAll(values.only?.split(',') ?? Object.keys(SECTIONS));
else await runOne(values.section);

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

/** Runs a section in a process of its own; one that fails leaves a line in the table. */
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
