import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keystore } from '../../packages/cli/src/keystore.ts';
import { runCli } from '../../packages/cli/src/run-cli.ts';

export type Ended = { readonly code: number; readonly out: string; readonly err: string };

type Environment = Readonly<Record<string, string>>;

export const PASSWORD = 'correct horse';

/** Runs the command in this process with the given environment and captures its output. */
export async function runOddlot(args: readonly string[], env: Environment): Promise<Ended> {
  const output = { out: '', err: '' };
  const writers = { out: process.stdout.write, err: process.stderr.write };
  const capture = (key: 'out' | 'err') => (text: string | Uint8Array) => {
    output[key] += String(text);
    return true;
  };
  process.stdout.write = capture('out');
  process.stderr.write = capture('err');
  try {
    return { code: await runCli(args, env), ...output };
  } finally {
    process.stdout.write = writers.out;
    process.stderr.write = writers.err;
  }
}

/** Runs the command with its own home folder against the venue at a URL. */
export class OddlotCommand {
  readonly home = mkdtempSync(join(tmpdir(), 'oddlot-cli-'));
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  run(line: string, env: Environment = {}): Promise<Ended> {
    const around = { ODDLOT_HOME: this.home, ODDLOT_PASSWORD: PASSWORD, ODDLOT_URL: this.#url() };
    return runOddlot(line.split(' '), { ...around, ...env });
  }

  /** Returns the `--json` output of a command that must succeed. */
  async json<Value>(line: string): Promise<Value> {
    const { code, err, out } = await this.run(`${line} --json`);
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${err}`);
    return JSON.parse(out) as Value;
  }

  /**
   * Re-encrypts a key with cheap parameters. Decrypting a normal key takes a tenth of a second, and
   * tests decrypt hundreds of them.
   */
  async cheapen(name: string): Promise<void> {
    const folder = join(this.home, 'keystore');
    const keys = new Keystore(folder);
    const { agentOf } = keys.find(name);
    const key = await keys.open(name, PASSWORD);
    const cheap = new Keystore(folder, { n: 1_024, r: 8, p: 1 });
    cheap.remove(name);
    await cheap.add(name, key, PASSWORD, agentOf === undefined ? {} : { agentOf });
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
