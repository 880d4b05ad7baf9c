import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../packaging/run-command.ts';
import { NODE, REPOSITORY } from '../support/venue-process.ts';

/**
 * Goal: the code in the testkit's guide is tested. `example.test.ts` in this folder is one of its
 * examples.
 */

const HERE = import.meta.dirname;

test.each(['example-first.ts', 'example.test.ts', 'example-node-test.mjs'])(
  'the guide includes %s unchanged',
  async (name) => {
    const guide = await readFile(join(REPOSITORY, 'docs/build/testkit.md'), 'utf8');
    expect(guide).toContain(await readFile(join(HERE, name), 'utf8'));
  },
);

test('the first example pays funding eight times', async () => {
  const printed = await runCommand(NODE, [join(HERE, 'example-first.ts')], { cwd: REPOSITORY });
  expect(printed.match(/fundingRate/g)).toHaveLength(8);
});

test('the backtest in the guide runs and writes its page', async () => {
  const guide = await readFile(join(REPOSITORY, 'docs/build/backtesting.md'), 'utf8');
  expect(guide).toContain(await readFile(join(HERE, 'example-backtest.ts'), 'utf8'));
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-backtest-'));
  try {
    const candle = (hour: number) =>
      `${Date.parse('2025-01-01T00:00:00Z') + hour * 3_600_000},94000,94500,93500,94000,800`;
    const lines = ['time,open,high,low,close,volume', candle(0), candle(1), candle(2)];
    await writeFile(join(folder, 'BTCUSDT-1h-2025-01.csv'), lines.join('\n'));
    const printed = await runCommand(NODE, [join(HERE, 'example-backtest.ts')], { cwd: folder });
    // The PnL is made up of a fee, two hours of funding, and the spread.
    expect(printed).toMatch(/^-0\.5\d+ \{/);
    expect(await readFile(join(folder, 'backtest.html'), 'utf8')).toContain('BTC-USDC');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the example for node:test passes', async () => {
  const flags = ['--test', '--test-reporter=tap'];
  const file = join(HERE, 'example-node-test.mjs');
  const printed = await runCommand(NODE, [...flags, file], { cwd: REPOSITORY });
  expect(printed).toContain('# pass 1');
});

test('the guide includes the backtest of an outcome market and its output', async () => {
  const guide = await readFile(join(REPOSITORY, 'docs/build/backtesting.md'), 'utf8');
  const program = join(HERE, 'example-backtest-outcome.ts');
  expect(guide).toContain(await readFile(program, 'utf8'));
  const printed = await runCommand(NODE, [program], { cwd: REPOSITORY });
  expect(guide).toContain(`prints\n\n\`\`\`text\n${printed.trim()}\n`);
});
