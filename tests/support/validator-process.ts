import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { programFile } from './program-file.ts';
import { NODE, REPOSITORY, START_MS_MAX } from './venue-process.ts';

const SIGNING = / is signing at (http:\S+) /;

const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Runs a validator in a separate process, which tests can kill and restart. */
export class ValidatorProcess {
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  output = '';

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  /**
   * Resolves with the URL once the validator serves requests, or with the exit code if it exits.
   */
  async start(): Promise<{ readonly url: string } | { readonly code: number | null }> {
    const child = spawn(NODE, [programFile('validator'), ...this.#args], {
      cwd: REPOSITORY,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(REPOSITORY, 'node_modules/.cache/venue') },
    });
    this.#child = child;
    living.add(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        this.output += text;
      });
    }
    const deadline = Date.now() + START_MS_MAX;
    while (Date.now() < deadline && child.exitCode === null) {
      const url = SIGNING.exec(printed)?.[1];
      if (url !== undefined) return { url };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    living.delete(child);
    child.kill('SIGKILL');
    return { code: child.exitCode };
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
    living.delete(child);
    return child.exitCode;
  }
}
