import { expect, test } from 'vitest';
import { auditSection } from './audit.ts';
import { backtestSection } from './backtest.ts';
import { bookSection } from './book.ts';
import { bridgeSection } from './bridge.ts';
import { engineSection, replaySection } from './engine.ts';
import { historySection } from './history.ts';
import { journalSection } from './journal.ts';
import { median, medianRatio, type Section, show, table } from './report.ts';
import { recoverySection } from './request.ts';
import { settlementSection } from './settlement.ts';

/**
 * Runs every section with tiny inputs. Each section must work, and both sides of a comparison must
 * arrive at the same result. Times are not checked.
 */

const SECTIONS: Readonly<Record<string, Section>> = {
  book: bookSection,
  engine: engineSection,
  settlement: settlementSection,
  bridge: bridgeSection,
  recovery: recoverySection,
  journal: journalSection,
  replay: replaySection,
  audit: auditSection,
  backtest: backtestSection,
  history: historySection,
};

/** Some sections start processes, which is slow on a busy machine. */
const TIMEOUT_MS = 120_000;

test.each(Object.entries(SECTIONS))(
  'the benchmark section %s runs',
  { timeout: TIMEOUT_MS },
  async (_name, section) => {
    const rows = await section('tiny');
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row.result).not.toContain('NaN');
  },
);

test('ratios are computed round by round before their median is taken', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(medianRatio([2, 30, 4], [1, 10, 4])).toBe(2);
  expect(() => median([])).toThrow('a median of nothing');
});

test('the results table is Markdown, with one line per row', () => {
  expect(show(1234.5)).toBe('1,235');
  expect(show(0.123456)).toBe('0.123');
  const row = { what: 'book', measured: '1 µs', result: '2×', target: '≥ 3×', isMet: false };
  const lines = table([row]).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/^\| book\s+\| 1 µs\s+\| 2×\s+\| ≥ 3×\s+\| MISSED\s+\|$/);
});
