import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CALM, NODE, REPOSITORY, Venue } from '../support/venue-process.ts';

/**
 * Goal: the snippets of the guides run as they stand and print what the guides say. Method: those of a
 * guide are put into one program; what it prints must hold the lines of the guide's `text` blocks, in
 * their order. A line may leave parts open with `…`.
 */

/** The guides that are programs, each with a line that it prints beyond its `text` blocks. */
const GUIDES: readonly (readonly [name: string, printed: RegExp])[] = [
  ['sdk.md', /^\d+ open null$/m],
  ['agents.md', /^bot 0x[0-9a-f]{40}$/m],
  ['builders.md', /^BUILDER_FEE_DROPPED notApproved$/m],
  ['signing-by-hand.md', /^multiSig: success$/m],
  ['debugging-signatures.md', /^networkName /m],
  ['prediction-markets.md', /^YES has 1004$/m],
  ['outcome-markets.md', /^queued queued$/m],
  ['series-and-receipts.md', /^holds: true false$/m],
  ['following-an-order.md', /^exported true$/m],
];

/** The address of the key that the guides call the operator's. */
const OPERATOR = '0xd09ad14080d4b257a819a4f579b8485be88f086c';

let venue: Venue;

beforeAll(async () => {
  venue = await Venue.start([...CALM, '--admins', OPERATOR]);
});

afterAll(async () => {
  await venue?.remove();
});

test.each(GUIDES)(
  'docs/guides/%s runs and prints what it says',
  async (name, printed) => {
    const guide = readFileSync(join(REPOSITORY, 'docs', 'guides', name), 'utf8');
    const program = blocksOf(guide, 'ts|js').join('\n');
    const { stdout } = await promisify(execFile)(
      NODE,
      [
        '--input-type=module-typescript',
        '--eval',
        program.replaceAll('http://127.0.0.1:8690', venue.url),
      ],
      { cwd: REPOSITORY, timeout: 60_000 },
    );
    expect(stdout).toMatch(printed);
    expectTold(stdout.split('\n'), blocksOf(guide, 'text').join('').trimEnd().split('\n'));
  },
  30_000,
);

function blocksOf(guide: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`(?:${language})\\n(.*?)^\`\`\`$`, 'gms');
  return [...guide.matchAll(fence)].map((match) => match[1] ?? '');
}

/** Each line that the guide shows was printed, after the one before it. */
function expectTold(printed: readonly string[], shown: readonly string[]): void {
  let from = 0;
  for (const line of shown.filter((text) => text !== '')) {
    const parts = line.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
    const pattern = new RegExp(`^${parts.join('.*')}$`);
    const at = printed.findIndex((text, index) => index >= from && pattern.test(text));
    expect(at, `"${line}" in ${printed.slice(from).join('\n')}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
}
