import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MARKERS, readmeBlocks, RUN_MS_MAX, runBlock } from './support/readme.ts';
import { FIXED_PRICE_FLAGS, Venue } from './support/venue-process.ts';

/**
 * Runs the first programs in the documentation. Every fenced block after a line `<!-- test: NAME
 * -->` runs unchanged against a venue started as described in the README.
 */

/** The books change between two runs, so a single successful run proves little. */
const RUNS = 2;

/** Each block's output according to the documentation. */
const PROMISED: Record<string, RegExp> = {
  'first-order': /^filled 0\.001 BTC at [0-9.]+$/m,
  'without-the-sdk':
    /"state":"filled"[^]*^holding 0\.001 BTC-USDC, bought at [0-9.]+$[^]*"filledSz":"10"[^]*^holding 10 YES: \S/m,
};

const blocks = readmeBlocks();

describe('the programs in README.md and docs/get-started/without-the-sdk.md work', () => {
  let venue: Venue;

  beforeAll(async () => {
    venue = await Venue.start([]);
  }, 60_000);
  afterAll(async () => venue?.remove());

  test('the README and the guide mark their programs as tested', () => {
    expect(blocks.map((block) => block.name)).toEqual(Object.keys(PROMISED));
    expect(blocks).toHaveLength(MARKERS);
  });

  test.each(blocks)(
    'the program $name runs unchanged several times',
    async ({ name, language, code }) => {
      expect(['js', 'mjs', 'javascript']).toContain(language);
      for (let run = 1; run <= RUNS; run++) {
        const { exitCode, stdout, stderr } = await runBlock(code, venue.url);
        expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
        expect(stderr).toBe('');
        expect(stdout).toMatch(PROMISED[name]!);
      }
    },
    RUNS * RUN_MS_MAX,
  );

  test('the program without-the-sdk prints which step was rejected and why', async () => {
    const program = blocks.find(({ name }) => name === 'without-the-sdk');
    const poor = await Venue.start([...FIXED_PRICE_FLAGS, '--no-faucet']);
    try {
      const { exitCode, stderr } = await runBlock(program?.code ?? '', poor.url);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/Error: request test funds: HTTP 404, \{.*"message":"/);
    } finally {
      await poor.remove();
    }
  }, 60_000);
});
