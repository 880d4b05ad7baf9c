import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MARKERS, readmeBlocks, RUN_MS_MAX, runBlock } from './support/readme.ts';
import { CALM, Venue } from './support/venue-process.ts';

/**
 * The README keeps its promises: every fenced block that follows a line `<!-- test: NAME -->` is run
 * as it stands, with `ODDLOT_URL` naming a venue that was started the way the README says.
 */

/** Books move between two runs; one that happens to find them still proves little. */
const RUNS = 2;

/** What the README says that a block prints. */
const PROMISED: Record<string, RegExp> = {
  'first-order':
    /"state":"filled"[^]*^holding 0\.001 BTC-USDC, bought at [0-9.]+$[^]*"filledSz":"10"[^]*^holding 10 YES: \S/m,
};

const blocks = readmeBlocks();

describe('README.md', () => {
  let venue: Venue;

  beforeAll(async () => {
    venue = await Venue.start([]);
  }, 60_000);
  afterAll(async () => venue?.remove());

  test('marks its first order as tested', () => {
    expect(blocks.map((block) => block.name)).toContain('first-order');
    expect(blocks).toHaveLength(MARKERS);
  });

  test.each(blocks)(
    '$name runs as it is written, time and again',
    async ({ name, language, code }) => {
      expect(['js', 'mjs', 'javascript']).toContain(language);
      for (let run = 1; run <= RUNS; run++) {
        const { exitCode, stdout, stderr } = await runBlock(code, venue.url);
        expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
        expect(stderr).toBe('');
        if (PROMISED[name]) expect(stdout).toMatch(PROMISED[name]);
      }
    },
    RUNS * RUN_MS_MAX,
  );

  test('first-order says which step was refused, and why', async () => {
    const first = blocks.find(({ name }) => name === 'first-order');
    const poor = await Venue.start([...CALM, '--no-faucet']);
    try {
      const { exitCode, stderr } = await runBlock(first?.code ?? '', poor.url);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/Error: ask the faucet: HTTP 404, \{.*"message":"/);
    } finally {
      await poor.remove();
    }
  }, 60_000);
});
