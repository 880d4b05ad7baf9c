import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OutcomeResolution, receiptHash } from '@oddlot/protocol';
import { afterEach, expect, test } from 'vitest';
import { FIRST_ID, OutcomeVenue, SERIES } from '../support/venue/outcome-venue.ts';
import { START_MS } from '../support/venue/ws/test-venue.ts';
import { runVerifyResolution } from '../../packages/cli/src/verify/run-verify-resolution.ts';

/** Runs the command on valid and forged resolution records from the real engine. */

const QUARTER_MS = 900_000;

/** Returns the record for a series market whose price rose from 100.5 to 101. */
function settledReceipt(): OutcomeResolution {
  const world = new OutcomeVenue();
  const firstStartMs = (START_MS + QUARTER_MS) as never;
  world.venue.apply([{ type: 'registerSeries', series: { ...SERIES, firstStartMs } }]);
  for (const [instant, second] of [
    [START_MS + QUARTER_MS, 101],
    [START_MS + 2 * QUARTER_MS, 102],
  ] as const) {
    world.waitUntil(instant - 61_000);
    for (let at = 0; at < 60; at++) world.price(at < 30 ? 100 : second);
    world.waitUntil(instant + 5_000);
  }
  return world.data('outcomeResolution', { instrumentId: FIRST_ID });
}

const RIGHT = settledReceipt();

const running: { close(): void }[] = [];
afterEach(() => {
  for (const each of running.splice(0)) each.close();
});

type CommandResult = { code: number; lines: string[]; faults: string[] };

async function verify(data: OutcomeResolution, ...more: readonly string[]): Promise<CommandResult> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, code: 0, data }));
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [lines, faults]: [string[], string[]] = [[], []];
  const args = ['--url', `http://127.0.0.1:${port}`, '--instrument', String(FIRST_ID), ...more];
  const code = await runVerifyResolution(args, (text, isFault = false) =>
    (isFault ? faults : lines).push(...text.split('\n')),
  );
  return { code, lines, faults };
}

/** Returns a changed record whose hash matches the change. */
function forged(changes: Partial<OutcomeResolution>): OutcomeResolution {
  const changed = { ...RIGHT, ...changes };
  return { ...changed, receiptHash: receiptHash(changed) };
}

test('all values in a correct resolution record agree', async () => {
  const { code, lines } = await verify(RIGHT);
  expect(lines).toEqual([
    'agree   strike: 100.5',
    'agree   settle: 101',
    'agree   settlementFraction: 1',
    'agree   winningOutcome: Yes',
    `agree   receiptHash: ${RIGHT.receiptHash}`,
  ]);
  expect(code).toBe(0);
});

const inputs = RIGHT.inputs!;
const differing = (lines: string[]) => lines.filter((line) => line.startsWith('DIFFER'));

test.each<[string, OutcomeResolution, string[]]>([
  [
    'another result',
    forged({ settlementFraction: '0', winningOutcome: 'No' }),
    ['DIFFER  settlementFraction: reported 0, recomputed 1'],
  ],
  [
    'another winner',
    forged({ winningOutcome: 'No' }),
    ['DIFFER  winningOutcome: reported No, recomputed Yes'],
  ],
  [
    'another average',
    forged({ inputs: { ...inputs, settle: '101.00000001' } }),
    ['DIFFER  settle: reported 101.00000001, recomputed 101'],
  ],
  [
    'too few samples',
    forged({ inputs: { ...inputs, strikeSamples: inputs.strikeSamples.slice(0, 53) } }),
    [
      'DIFFER  strike: reported 100.5, recomputed none',
      'DIFFER  settlementFraction: reported 1, recomputed none',
    ],
  ],
  [
    'the same second twice',
    forged({
      inputs: { ...inputs, settleSamples: [...inputs.settleSamples, inputs.settleSamples.at(-1)!] },
    }),
    [
      'DIFFER  settle: reported 101, recomputed none',
      'DIFFER  settlementFraction: reported 1, recomputed none',
    ],
  ],
  [
    'a text changed under the old hash',
    { ...RIGHT, oracleOutcome: 'Down' },
    [
      `DIFFER  receiptHash: reported ${RIGHT.receiptHash}, recomputed ${receiptHash({ ...RIGHT, oracleOutcome: 'Down' })}`,
    ],
  ],
])('the check of a resolution detects %s', async (_what, receipt, expected) => {
  const { code, lines } = await verify(receipt);
  expect(differing(lines)).toEqual(expected);
  expect(code).toBe(1);
});

test("an operator's resolution shows only its winner and hash, and a market in progress shows neither", async () => {
  const operator = forged({
    by: 'operator',
    inputs: null,
    settlementFraction: '0.5',
    winningOutcome: null,
  });
  const { code, lines } = await verify(operator);
  expect(lines).toEqual([
    'agree   winningOutcome: none',
    `agree   receiptHash: ${operator.receiptHash}`,
    'unverified  the result: set by the operator, so there are no samples to recompute it from',
  ]);
  expect(code).toBe(0);
  const open = await verify({ ...RIGHT, resolutionStatus: 'prepared' });
  const message = `Market ${FIRST_ID} has not been resolved`;
  expect(open).toEqual({ code: 2, lines: [], faults: [message] });
  const verified = await verify({ ...RIGHT, resolutionStatus: 'prepared' }, '--json');
  expect(verified).toMatchObject({ code: 2, lines: [] });
  expect(JSON.parse(verified.faults.join())).toEqual({
    error: { name: 'CliError', message, exitCode: 2 },
  });
});

test('the JSON output has the same findings as the text', async () => {
  const right = await verify(RIGHT, '--json');
  expect(right.code).toBe(0);
  expect(JSON.parse(right.lines.join('\n'))).toEqual([
    { kind: 'agree', what: 'strike', told: '100.5' },
    { kind: 'agree', what: 'settle', told: '101' },
    { kind: 'agree', what: 'settlementFraction', told: '1' },
    { kind: 'agree', what: 'winningOutcome', told: 'Yes' },
    { kind: 'agree', what: 'receiptHash', told: RIGHT.receiptHash },
  ]);
  const wrong = await verify(forged({ winningOutcome: 'No' }), '--json');
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.lines.join('\n'))).toContainEqual({
    kind: 'DIFFER',
    what: 'winningOutcome',
    told: 'No',
    computed: 'Yes',
  });
});

test.each<[string, readonly string[], number, RegExp]>([
  ['no instrument', [], 2, /^usage: /],
  ['an option that does not exist', ['--moon'], 2, /^Unknown option '--moon'/],
  [
    'no URL',
    ['--instrument', '5', '--url', 'moon'],
    2,
    /^Invalid URL "moon"\. Use an http or https URL\.$/,
  ],
  [
    'no venue at the URL',
    ['--instrument', '5', '--url', 'http://127.0.0.1:1'],
    4,
    /^No response from http:\/\/127\.0\.0\.1:1/,
  ],
])('%s is reported in one line, with its own exit code', async (_, args, code, text) => {
  const lines: string[] = [];
  expect(await runVerifyResolution(args, (line) => lines.push(line))).toBe(code);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(text);
  expect(lines[0]).not.toContain('\n');
});
