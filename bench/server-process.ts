import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A server in a child process, with the CPU time of all its threads. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly port: number;
  readonly line: string;

  private constructor(child: ChildProcess, line: string) {
    this.#child = child;
    this.line = line;
    this.port = Number(/ at http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
  }

  /** Starts a server and waits for the line that gives its address. */
  static async start(
    program: string,
    args: readonly string[],
    nodeFlags: readonly string[] = [],
  ): Promise<ServerProcess> {
    const path = join(import.meta.dirname, '..', program);
    const { environment, flags } = startCommand();
    const child = spawn(process.execPath, [...flags, ...nodeFlags, path, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${program} ended before it served`);
    });
    const line = await Promise.race([servingLine(child), ended]);
    ended.catch(() => {});
    return new ServerProcess(child, line);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Returns the user and system time in ms, with the kernel's resolution of 10 ms. */
  cpuMs(): number {
    return cpuMsIn(`/proc/${this.pid}/stat`);
  }

  /**
   * Returns the CPU time, in ms, of the threads with this name. The main thread is called
   * `MainThread`.
   */
  threadCpuMs(name: string): number {
    const folder = `/proc/${this.pid}/task`;
    const threads = readdirSync(folder).map((id) => join(folder, id));
    const named = threads.filter(
      (each) => readFileSync(join(each, 'comm'), 'utf8').trim() === name,
    );
    return named.reduce((sum, each) => sum + cpuMsIn(join(each, 'stat')), 0);
  }

  /** Returns the number of writes to files and sockets, as counted by the kernel. */
  writes(): number {
    return Number(/syscw: (\d+)/.exec(readFileSync(`/proc/${this.pid}/io`, 'utf8'))?.[1]);
  }

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

/** Returns the environment variables and Node options that `npm start` uses. */
function startCommand(): {
  readonly environment: Record<string, string>;
  readonly flags: readonly string[];
} {
  const file = join(import.meta.dirname, '..', 'package.json');
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: { start: string } };
  const [before = '', command = ''] = scripts.start.split(' exec ');
  const variables = before.split(' ').map((each) => each.split('=') as [string, string]);
  const flags = command.split(' ').filter((each) => each.startsWith('--'));
  return { environment: Object.fromEntries(variables), flags };
}

function cpuMsIn(file: string): number {
  const stat = readFileSync(file, 'utf8');
  // The second field is the name in brackets, which may contain spaces. The fields `utime` and
  // `stime` are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

async function servingLine(child: ChildProcess): Promise<string> {
  const lines = createInterface(child.stdout!);
  for await (const line of lines) {
    if (!line.includes('is serving at')) continue;
    // Later output is discarded, so that the pipe does not fill up.
    child.stdout?.resume();
    return line;
  }
  throw new Error('the server printed no address');
}
