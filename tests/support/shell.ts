import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { programFile } from './program-file.ts';
import { NODE, REPOSITORY } from './venue-process.ts';

const DONE = '::done::';
const STEP_MS_MAX = 60_000;

/**
 * A shell that goes on from one block of a guide to the next, as an operator's does. `npm run bridge` is the program
 * itself, so that files may lie in a folder of the test.
 */
export class Shell {
  readonly #child: ChildProcess;
  #said = '';

  constructor(folder: string) {
    this.#child = spawn('bash', ['-e', '-o', 'pipefail'], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(REPOSITORY, 'node_modules/.cache/venue') },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    }
    const run = `[ "$1 $2 $3" = "run --silent bridge" ] && shift 4 && "${NODE}" "${programFile('bridge')}" "$@"`;
    this.#child.stdin?.write(`npm() { ${run}; }\n`);
  }

  /** Runs a block, every command of which must succeed; resolves with what it printed. */
  async run(block: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
    const set = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
    this.#said = '';
    this.#child.stdin?.write(`${set.join('')}${block}\necho ${DONE}\n`);
    const deadline = Date.now() + STEP_MS_MAX;
    while (!this.#said.includes(DONE)) {
      if (this.#child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`the block did not go through:\n${block}\n${this.#said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.#said.slice(0, this.#said.indexOf(DONE));
  }

  end(): void {
    this.#child.stdin?.end();
    this.#child.kill();
  }
}
