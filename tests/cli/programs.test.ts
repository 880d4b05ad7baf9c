import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runRebuildHistory } from '../../packages/cli/src/commands/add-programs.ts';

/**
 * Goal: programs that run as commands report errors in one sentence, and in JSON on request.
 * Method: run one real process of each kind that replaces the command. These programs' own tests
 * are not repeated here.
 */

const REPOSITORY = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'oddlot-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

function oddlot(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const file = join(REPOSITORY, 'packages/cli/src/main.ts');
  const child = spawn(process.execPath, [file, ...line.split(' ')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ODDLOT_HOME: folder,
      NODE_COMPILE_CACHE: join(REPOSITORY, 'node_modules/.cache/venue'),
      ...env,
    },
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...output })));
}

test.each<[line: string, why: RegExp]>([
  ['start --moon', /^Unknown option '--moon'/],
  ['relay --port x', /port/],
  ['validator --port 8', /(key|bridge)/],
  // If these options were ignored, a different check from the one requested would run.
  ['--network other verify http://127.0.0.1:9', /^Put --network after the command: oddlot verify/],
  ['verify http://127.0.0.1:9 --from 9 --to 3', /^--to 3 is before --from 9\. Use a later --to$/m],
])('`oddlot %s` exits with 2 and a message and leaves no files', async (line, why) => {
  const ended = await oddlot(line);
  expect(ended).toEqual({ code: 2, out: '', err: expect.stringMatching(why) });
  expect(ended.err).not.toMatch(/^\s+at /m);
  expect(readdirSync(folder)).toEqual([]);
});

test.each<[program: string, flags: string]>([
  ['start', '--network testnet --port'],
  ['start', '--network testnet --port 0 --ops-port'],
  ['start', '--network testnet --port 0 --chain local --chain-port'],
  ['relay', '--local --port'],
  ['relay', '--local --port 0 --chain-port'],
])(
  '`oddlot %s` reports a port in use (%s) at once and creates no files',
  async (program, flags) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const ended = await oddlot(`${program} --data ${join(folder, 'data')} ${flags} ${port}`);
    taken.close();
    const flag = flags.split(' ').at(-1);
    expect(ended).toEqual({
      code: 1,
      out: '',
      err: `Port ${port} of 127.0.0.1 is already in use. Choose another one with ${flag}.\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
  },
);

test.each<[program: string, command: string]>([
  ['start', 'oddlot start [flags]'],
  ['relay', 'oddlot relay [flags]'],
  ['validator', 'oddlot validator [flags]'],
])('the help of `oddlot %s` names the command that was run', async (program, command) => {
  const { code, out } = await oddlot(`${program} --help`);
  expect(code).toBe(0);
  expect(out).toContain(`\n  ${command}\n`);
  expect(out).not.toContain('npm start');
  const fromScript = await oddlot(`${program} --help`, { npm_lifecycle_event: 'oddlot' });
  expect(fromScript.out).toContain(`\n  npm run oddlot -- ${program} [flags]\n`);
});

test('`oddlot rebuild-history` prints its help and creates no file', async () => {
  const helped = await oddlot('rebuild-history --help');
  expect(helped).toMatchObject({ code: 0, err: '' });
  expect(helped.out).toMatch(/^oddlot rebuild-history --data FOLDER /);
  expect(readdirSync(folder)).toEqual([]);
});

test('with --json, a program prints one object on standard output and everything else on standard error', async () => {
  const helped = await oddlot('bridge --help --json');
  const printed = JSON.parse(helped.out) as { said: string[] };
  expect(printed).toMatchObject({ program: 'bridge', exitCode: 0 });
  expect(printed.said[0]).toBe('Usage: oddlot bridge COMMAND [options]');
  expect(helped.err).toContain('Usage: oddlot bridge COMMAND');
  const wrong = await oddlot('bridge moon --json');
  expect(JSON.parse(wrong.out)).toEqual({
    program: 'bridge',
    exitCode: 2,
    said: [],
    error: { message: expect.stringContaining('Unknown command moon'), exitCode: 2 },
  });
  for (const program of ['start', 'relay', 'validator']) {
    const { out } = await oddlot(`${program} --moon --json`);
    const { error } = JSON.parse(out) as { error: object };
    expect(error).toEqual({
      message: expect.stringMatching(/^Unknown option '--moon'/),
      exitCode: 2,
    });
  }
  expect(wrong).toMatchObject({
    code: 2,
    err: expect.stringContaining('Unknown command moon'),
  });
});

test('verification commands use the venue from the environment, report errors in JSON, and have help', async () => {
  const env = { ODDLOT_URL: 'http://127.0.0.1:9' };
  const tx = `0x${'5e'.repeat(32)}`;
  const asked = await oddlot(`verify receipt --tx ${tx}`, env);
  expect(asked).toEqual({ code: 4, out: '', err: expect.stringContaining('127.0.0.1:9') });
  const nothing = await oddlot('verify nothing-there --json');
  expect(nothing).toMatchObject({ code: 2, out: '' });
  expect(JSON.parse(nothing.err)).toMatchObject({ error: { exitCode: 2 } });
  const helped = await oddlot('verify receipt --help');
  expect(helped).toMatchObject({ code: 0, err: '' });
  expect(helped.out).toContain('oddlot verify receipt --tx HASH');
});

test.each<[args: readonly string[], why: RegExp]>([
  [['--data', '/nowhere'], /^No log in \/nowhere\n$/],
  [['--moon'], /^Unknown option '--moon'/],
])('`oddlot rebuild-history` with %j is a usage error, as text and as JSON', async (args, why) => {
  const output = { out: '', err: '' };
  const capture = (name: 'err' | 'out') => ({ write: (text: string) => (output[name] += text) });
  const around = { environment: {}, stderr: capture('err'), stdout: capture('out') };
  expect(await runRebuildHistory(args, { ...around, isJson: false })).toBe(2);
  expect(output).toEqual({ out: '', err: expect.stringMatching(why) });
  output.err = '';
  expect(await runRebuildHistory(args, { ...around, isJson: true })).toBe(2);
  expect(JSON.parse(output.err)).toMatchObject({ error: { exitCode: 2 } });
});
