import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIXED_PRICE_FLAGS, HOLDING, NODE, REPOSITORY, Venue } from '../support/venue-process.ts';

/**
 * Goal: the snippets in the guides run unchanged and print the documented output. Method: a guide's
 * snippets form one module. Its output must contain the lines of the guide's `text` blocks in
 * order, where `…` matches any text.
 */

/** Guides whose snippets are a program, each with output that is not in the `text` blocks. */
const GUIDES: readonly (readonly [name: string, printed: RegExp])[] = [
  ['build/sdk.md', /^\d+ open null$/m],
  ['build/agents.md', /^bot 0x[0-9a-f]{40}$/m],
  ['build/builders.md', /^BUILDER_FEE_DROPPED notApproved$/m],
  ['build/signing.md', /^multiSig: success$/m],
  ['build/signature-errors.md', /^networkName /m],
  ['operate/outcome-markets.md', /^YES has 1004$/m],
  ['trade/outcome-markets.md', /^queued queued$[^]*^holds: true false$/m],
  ['build/following-an-order.md', /^exported true$/m],
];

/** The address of the operator key used in the guides. */
const OPERATOR = '0xd09ad14080d4b257a819a4f579b8485be88f086c';

/** The line printed before each guide's output. */
const MARK = '::guide::';

const guideOf = (name: string): string => readFileSync(join(REPOSITORY, 'docs', name), 'utf8');

let venue: Venue;
let folder: string;
const outputs = new Map<string, string>();
/** The process's standard error up to the first failure. */
let complained = '';

beforeAll(async () => {
  venue = await Venue.start([...FIXED_PRICE_FLAGS, ...HOLDING, '--admins', OPERATOR]);
  // The folder is inside the repository, so that imports resolve as they do for a user.
  const cache = join(REPOSITORY, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'guides-'));
  const lines = GUIDES.map(([name]) => {
    const program = blocksOf(guideOf(name), 'ts|js').join('\n');
    const file = join(folder, `${name.replace('/', '-')}.mjs`);
    const here = program.replaceAll('http://127.0.0.1:8690', venue.url);
    writeFileSync(file, stripTypeScriptTypes(here));
    return `console.log('\\n${MARK}${name}');\nawait import(${JSON.stringify(file)});`;
  });
  // A single process runs all guides, because loading the SDK takes most of the time.
  const args = ['--input-type=module', '--eval', lines.join('\n')];
  const { stdout, stderr } = await promisify(execFile)(NODE, args, {
    cwd: REPOSITORY,
    timeout: 100_000,
  }).catch((error: { stdout: string; stderr: string }) => error);
  complained = stderr;
  for (const part of stdout.split(`\n${MARK}`).slice(1)) {
    const end = part.indexOf('\n');
    outputs.set(part.slice(0, end), part.slice(end + 1));
  }
});

afterAll(async () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  await venue?.remove();
});

test.each(GUIDES)('docs/%s runs and prints the documented output', (name, printed) => {
  const stdout = outputs.get(name) ?? '';
  expect(stdout, complained).toMatch(printed);
  expectShown(stdout.split('\n'), blocksOf(guideOf(name), 'text').join('').trimEnd().split('\n'));
});

test('the snippets in all guides run without errors', () => {
  expect([...outputs.keys()]).toEqual(GUIDES.map(([name]) => name));
  expect(complained).toBe('');
});

function blocksOf(guide: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`(?:${language})\\n(.*?)^\`\`\`$`, 'gms');
  return [...guide.matchAll(fence)].map((match) => match[1] ?? '');
}

/** Checks that each line shown in the guide was printed, in the same order. */
function expectShown(printed: readonly string[], shown: readonly string[]): void {
  let from = 0;
  for (const line of shown.filter((text) => text !== '')) {
    const parts = line.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
    const pattern = new RegExp(`^${parts.join('.*')}$`);
    const at = printed.findIndex((text, index) => index >= from && pattern.test(text));
    expect(at, `"${line}" in ${printed.slice(from).join('\n')}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
}
