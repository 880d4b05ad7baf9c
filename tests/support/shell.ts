import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runBridge } from '../../packages/custody/src/bridge/run-bridge.ts';
import { programFile } from './program-file.ts';
import { NODE, REPOSITORY } from './venue-process.ts';

const DONE = '::done::';
const STEP_MS_MAX = 60_000;

/**
 * A shell that keeps its state from one block of a guide to the next. A guide has dozens of `oddlot
 * bridge` commands, so they run in this process with a test folder as the file system; only
 * `status` starts the program.
 */
export class Shell {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #bridge: Server;
  #output = '';

  private constructor(folder: string, bridge: Server) {
    this.#folder = folder;
    this.#bridge = bridge;
    this.#child = spawn('bash', ['-e', '-o', 'pipefail'], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(REPOSITORY, 'node_modules/.cache/venue') },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
    const { port } = bridge.address() as AddressInfo;
    const program = `"${NODE}" "${programFile('bridge')}" "$@"`;
    const here = `printf '%s\\0' "$@" | curl -sS --fail-with-body --data-binary @- http://127.0.0.1:${port}`;
    const run = `if [ "$1" = status ]; then ${program}; else ${here}; fi`;
    const oddlot = `[ "$1" = bridge ] && shift && ${run}`;
    this.#child.stdin?.write(`oddlot() { ${oddlot}; }\n`);
  }

  static async open(folder: string): Promise<Shell> {
    const bridge = createServer((request, response) => {
      const ran = text(request).then((args) => shell.#run(args.split('\0').slice(0, -1)));
      void ran.then(({ code, printed }) => response.writeHead(code === 0 ? 200 : 400).end(printed));
    });
    await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve));
    const shell = new Shell(folder, bridge);
    return shell;
  }

  async #run(args: readonly string[]): Promise<{ code: number; printed: string }> {
    let printed = '';
    const here = args.map((arg) => (/^[\w-]+\.json$/.test(arg) ? join(this.#folder, arg) : arg));
    const code = await runBridge(here, {
      env: process.env,
      print: (line) => (printed += `${line}\n`),
      complain: (line) => (this.#output += `${line}\n`),
    });
    return { code, printed };
  }

  /** Runs a block of commands, all of which must succeed, and resolves with their output. */
  async run(block: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
    const set = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
    this.#output = '';
    this.#child.stdin?.write(`${set.join('')}${block}\necho ${DONE}\n`);
    const deadline = Date.now() + STEP_MS_MAX;
    while (!this.#output.includes(DONE)) {
      if (this.#child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`the block did not go through:\n${block}\n${this.#output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.#output.slice(0, this.#output.indexOf(DONE));
  }

  end(): void {
    this.#child.stdin?.end();
    this.#child.kill();
    this.#bridge.close();
    this.#bridge.closeAllConnections();
  }
}
