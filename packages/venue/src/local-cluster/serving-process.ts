import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { OWN_FILE } from '@oddlot/host/durable';

const SERVING = /is serving at (\S+)/;
/** Who is asked to stop hands over what it holds; one that does not come to it is killed. */
const STOP_MS_MAX = 15_000;
const KEPT_LINE_CHARACTERS = 10_000;

type ServingOptions = {
  readonly program: string;
  readonly args: readonly string[];
  /** What it says, all its lives long. */
  readonly logFile: string;
  readonly onServing: (pid: number, url: string) => void;
  /** It ended, and nobody here has asked for that. */
  readonly onEnd: (how: string) => void;
};

/** A program of a cluster on this machine that says when it serves, and that can be started again after it has ended. */
export class ServingProcess {
  readonly #options: ServingOptions;
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  #isWanted = false;

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#log = createWriteStream(options.logFile, { flags: 'a', mode: OWN_FILE });
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  start(): void {
    const { args, onEnd, onServing, program } = this.#options;
    // Without the variable of `npm start` it neither watches a parent nor bundles itself three times over.
    const env = { ...process.env, npm_lifecycle_event: undefined };
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    this.#child = child;
    this.#isWanted = true;
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#log.write(text);
      const before = SERVING.exec(said);
      said = (said + text).slice(0, KEPT_LINE_CHARACTERS);
      const url = SERVING.exec(said)?.[1];
      if (before === null && url !== undefined && said.includes('\n')) onServing(this.pid, url);
    });
    child.stderr.on('data', (chunk: Buffer) => this.#log.write(chunk));
    child.once('exit', (code, signal) => {
      if (this.#isWanted && this.#child === child) onEnd(signal ?? `code ${code}`);
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const exit = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      await exit;
      clearTimeout(late);
    }
    await new Promise((resolve) => this.#log.end(resolve));
  }
}
