import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterFlags } from './cluster-mode.ts';
import { programFile } from './program-file.ts';

/**
 * Runs a real venue in its own process on ephemeral ports, as an operator would. The tests do not
 * import its code; they use only its command line, stdout, signals and sockets.
 */

const ROOT = join(import.meta.dirname, '..', '..');
const OWN_NODE = join(ROOT, 'node_modules', '.bin', 'node');
/**
 * The Node version among the project's dependencies if it is installed; otherwise the one running
 * the tests.
 */
export const NODE = existsSync(OWN_NODE) ? OWN_NODE : process.execPath;
export const REPOSITORY = ROOT;

/** Caches compiled code, because the tests start more than a hundred venues. */
const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/venue') };

const SERVING = /is serving at (http:\S+) \(streams (ws:[^\s,)]+), operations (http:[^\s,)]+)/;
/** The time allowed for a venue to start, long enough for a slow start on a busy machine. */
export const START_MS_MAX = 60_000;
const STOP_MS_MAX = 15_000;
const LOG_CHARACTERS_MAX = 2_000_000;

/** Flags of most test venues: constant prices and no request limits. */
export const FIXED_PRICE_FLAGS = ['--oracle', 'still', '--no-limits'];

/**
 * Flags for a settlement chain that the venue polls only on start-up, so that withdrawals stay
 * pending.
 */
export const HOLDING = ['--chain', 'local', '--chain-every-ms', '3600000'];

export type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type CommandContext = {
  /** The maximum number of open files and sockets. */
  readonly descriptors?: number;
  /** Variables to add to the tests' environment. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** One run of the venue's command, from start to exit. */
export class VenueRun {
  readonly ended: Promise<Ending>;
  #child: ChildProcess;
  #stdout = '';
  #stderr = '';
  #ending: Ending | undefined;

  constructor(data: string, flags: readonly string[], context: CommandContext = {}) {
    const { descriptors, environment } = context;
    const command = [programFile('venue'), '--port', '0', '--ops-port', '0', '--data', data];
    // The local chain, the relay and the web page need memory and time, so a test must enable them
    // explicitly.
    const lean = ['--network', 'testnet', '--chain', 'none', '--no-relay', '--no-web'];
    const args = [...command, ...lean, ...flags];
    // The shell lowers the limit of open files and then replaces itself with the venue process.
    const limited = ['-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, NODE, ...args];
    this.#child = spawn(
      descriptors === undefined ? NODE : '/bin/sh',
      descriptors === undefined ? args : limited,
      {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...COMPILED, ...environment },
      },
    );
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-LOG_CHARACTERS_MAX);
    });
    living.add(this.#child);
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        living.delete(this.#child);
        this.#ending = { code, signal };
        resolve(this.#ending);
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves with the URLs once the venue serves requests. Rejects if the venue exits first. */
  async serving(): Promise<{ url: string; streams: string; operations: string }> {
    const deadline = Date.now() + START_MS_MAX;
    while (Date.now() < deadline) {
      const match = SERVING.exec(this.#stdout);
      if (match) return { url: match[1]!, streams: match[2]!, operations: match[3]! };
      if (this.#ending) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const how = this.#ending
      ? `ended with ${JSON.stringify(this.#ending)}`
      : 'did not serve in time';
    this.#child.kill('SIGKILL');
    await this.ended;
    throw new Error(`The venue ${how}.\nstdout: ${this.#stdout}\nstderr: ${tail(this.#stderr)}`);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ending> {
    if (this.#ending) return this.#ending;
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX);
    const ending = await this.ended;
    clearTimeout(timer);
    return ending;
  }
}

/** A venue that can be stopped, killed and restarted with the same data. */
export class Venue {
  readonly data: string;
  url = '';
  streams = '';
  operations = '';
  #flags: readonly string[];
  readonly #context: CommandContext;
  #run: VenueRun | undefined;
  #stderr = '';

  private constructor(data: string, flags: readonly string[], context: CommandContext) {
    this.data = data;
    this.#flags = flags;
    this.#context = context;
  }

  static async start(
    flags: readonly string[] = FIXED_PRICE_FLAGS,
    data?: string,
    context: CommandContext = {},
  ): Promise<Venue> {
    const venue = new Venue(data ?? (await temporaryData()), flags, context);
    await venue.startAgain();
    return venue;
  }

  get pid(): number {
    return this.#run!.pid;
  }

  get stderr(): string {
    return this.#stderr + (this.#run?.stderr ?? '');
  }

  get stdout(): string {
    return this.#run?.stdout ?? '';
  }

  /** Resolves when the current run ends for any reason. */
  get ended(): Promise<Ending> {
    return this.#run!.ended;
  }

  async startAgain(flags: readonly string[] = this.#flags): Promise<void> {
    this.#flags = flags;
    const all = [...flags, ...(await clusterFlags(this.data, flags))];
    this.#run = new VenueRun(this.data, all, this.#context);
    Object.assign(this, await this.#run.serving());
  }

  async stop(): Promise<Ending> {
    return this.#end('SIGTERM');
  }

  /** Kills the venue with SIGKILL, which gives it no time to clean up. */
  async kill(): Promise<Ending> {
    return this.#end('SIGKILL');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.data, { recursive: true, force: true });
  }

  /** Returns the log lines at level error or above. Client requests should never cause any. */
  faults(): string[] {
    return this.stderr
      .split('\n')
      .filter((line) => /"level":\s*(?:[5-9]\d|"error"|"fatal")/.test(line));
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ending> {
    if (!this.#run) return { code: 0, signal: null };
    const ending = await this.#run.end(signal);
    this.#stderr += this.#run.stderr;
    this.#run = undefined;
    return ending;
  }
}

/** Creates an empty data directory that is removed after this process's tests. */
export async function temporaryData(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-test-'));
  folders.add(folder);
  return folder;
}

/** Removes all of this process's data directories. Their venues must have ended. */
export async function removeTemporaryData(): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
  folders.clear();
}

/** Returns the end of a log, short enough for a failure message. */
export function tail(text: string): string {
  return text.length > 4000 ? `… ${text.slice(-4000)}` : text;
}

const living = new Set<ChildProcess>();
const folders = new Set<string>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});
