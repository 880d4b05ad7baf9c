import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { OddlotCommand } from '../support/oddlot-command.ts';
import { NODE, REPOSITORY } from '../support/venue-process.ts';

/**
 * Goal: shells complete commands, options and settings. Method: run the completion scripts in bash
 * and compare the results with the programs' help.
 */

const command = new OddlotCommand(() => 'http://127.0.0.1:9');
const oddlot = command.run.bind(command);
afterAll(() => command.remove());

test.each(['bash', 'zsh', 'fish'])('completion for %s includes every command', async (shell) => {
  const { code, out } = await oddlot(`completion ${shell}`);
  expect(code).toBe(0);
  const help = (await oddlot('--help')).out;
  const names = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) if (name !== 'help') expect(out).toContain(name);
  for (const flag of ['--snapshot-every-blocks', '--no-relay', '--maker-fee', '--sl-price']) {
    expect([flag, out.includes(flag)]).toEqual([flag, true]);
  }
});

test('completion in bash offers the commands, options and settings that fit the line', async () => {
  const script = (await oddlot('completion bash')).out;
  const complete = (line: string): string[] => {
    const print = `printf '%s\\n' "\${COMPREPLY[@]}"`;
    const source = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _oddlot; ${print}`;
    const out = execFileSync('bash', ['-c', source, 'bash', ...line.split(' ')], {
      encoding: 'utf8',
    });
    return out.split('\n').filter((word) => word !== '');
  };
  expect(complete('oddlot lev')).toEqual(['leverage']);
  expect(complete('oddlot market ')).toEqual(expect.arrayContaining(['change', 'halt', 'delist']));
  expect(complete('oddlot market change BTC --t')).toEqual(['--taker-fee', '--tick']);
  expect(complete('oddlot --url http://127.0.0.1:1 order --red')).toEqual(['--reduce-only']);
  expect(complete('oddlot margin-mode BTC iso')).toEqual(['isolated']);
  expect(complete('oddlot start --snapshot-every-b')).toEqual(['--snapshot-every-blocks']);
  expect(complete('oddlot start --no-rel')).toEqual(['--no-relay']);
  expect(complete('oddlot relay --late')).toEqual(['--late-every-ms']);
  // The tables in a configuration file have no flags.
  expect(complete('oddlot validator --signers')).toEqual([]);
  expect(complete('oddlot rebuild-history --databa')).toEqual(['--database']);
});

test.each(['bridge', 'verify'])(
  'completion includes all names in the help of `%s`',
  async (name) => {
    const main = join(REPOSITORY, 'packages/cli/src/main.ts');
    const help = execFileSync(NODE, [main, name, '--help'], { encoding: 'utf8' });
    const { out: script } = await oddlot('completion bash');
    const [, completed = ''] = new RegExp(`'${name}'\\) words='([^']*)'`).exec(script) ?? [];
    const words = new Set(completed.split(' '));
    const flags = [...help.matchAll(/(?<![\w-])--[a-z-]+/g)].map(([flag]) => flag);
    const commands = [...help.matchAll(/^(?: {2}|oddlot verify )([a-z-]+)(?= )/gm)].map(
      ([, found]) => found!,
    );
    expect(flags.length).toBeGreaterThan(10);
    expect(commands.length).toBeGreaterThan(3);
    // `--serve-log` is a venue setting, but the help of `verify` mentions it.
    const missing = [...flags, ...commands].filter((word) => !words.has(word));
    expect(missing.filter((word) => word !== '--serve-log')).toEqual([]);
  },
);
