import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A server in a process of its own, and the CPU time that all of its threads have used. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly port: number;
  /** The whole line by which it said that it serves. */
  readonly line: string;

  private constructor(child: ChildProcess, line: string) {
    this.#child = child;
    this.line = line;
    this.port = Number(/ at http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
  }

  /** Starts a program of this repository and waits for the line that says where it serves. */
  static async start(
    program: string,
    args: readonly string[],
    nodeFlags: readonly string[] = [],
  ): Promise<ServerProcess> {
    const path = join(import.meta.dirname, '..', program);
    const child = spawn(process.execPath, [...nodeFlags, path, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...startEnvironment() },
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${program} ended before it served`);
    });
    const line = await Promise.race([servingLine(child), ended]);
    ended.catch(() => {});
    return new ServerProcess(child, line);
  }

  /** The process, for whoever wants to look into it. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** User and system time of the process so far, in ms. The kernel counts in ticks of 10 ms. */
  cpuMs(): number {
    return cpuMsIn(`/proc/${this.pid}/stat`);
  }

  /** The same of its threads with a name; that of the main one is `MainThread`. */
  threadCpuMs(name: string): number {
    const folder = `/proc/${this.pid}/task`;
    const threads = readdirSync(folder).map((id) => join(folder, id));
    const named = threads.filter(
      (each) => readFileSync(join(each, 'comm'), 'utf8').trim() === name,
    );
    return named.reduce((sum, each) => sum + cpuMsIn(join(each, 'stat')), 0);
  }

  /** How often it has written to files and sockets so far, as the kernel counts. */
  writes(): number {
    return Number(/syscw: (\d+)/.exec(readFileSync(`/proc/${this.pid}/io`, 'utf8'))?.[1]);
  }

  /** What it holds in memory now. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exit;
  }
}

/** What `npm start` sets for the venue. */
function startEnvironment(): Record<string, string> {
  const file = join(import.meta.dirname, '..', 'package.json');
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: { start: string } };
  const [before = ''] = scripts.start.split(' exec ');
  return Object.fromEntries(before.split(' ').map((each) => each.split('=') as [string, string]));
}

function cpuMsIn(file: string): number {
  const stat = readFileSync(file, 'utf8');
  // The second field is the name in brackets and may hold blanks; utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

async function servingLine(child: ChildProcess): Promise<string> {
  const lines = createInterface(child.stdout!);
  for await (const line of lines) {
    if (!line.includes('is serving at')) continue;
    // What it prints later is read and dropped, so that its pipe never fills.
    child.stdout?.resume();
    return line;
  }
  throw new Error('the server printed no address');
}
