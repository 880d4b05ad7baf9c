import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '@oddlot/host/log';
import { lowerPriority } from '@oddlot/host/operate';

/** A relay in a process of its own, kept running. */

type RelayChildOptions = {
  /** Flags of the relay; given the port that it had before, where it had one. */
  readonly flags: (lastPort: number | undefined) => readonly string[];
  readonly log: Logger;
  readonly onServing: (where: { readonly url: string; readonly address: string }) => void;
};

const SERVING = /Oddlot relay is serving at (\S+) \(address (0x[0-9a-f]{40})\)/;
const RESTART_MS = { least: 500, most: 30_000 };
const STOP_MS = 6_000;

/**
 * Starts the relay, and again whenever it ends by itself, unless a file of its is lost. It ends with this process, however that ends:
 * its standard input is a pipe that the system closes.
 */
export class RelayChild {
  readonly #options: RelayChildOptions;
  #child: ChildProcess | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #program = '';
  #lastCode: number | undefined = undefined;
  #isRunning = false;
  #failures = 0;
  #port: number | undefined = undefined;

  constructor(options: RelayChildOptions) {
    this.#options = options;
  }

  /** Not started again where it ends with `lastCode`: its operator has to do something first. */
  start(program: string, lastCode: number): void {
    this.#program = program;
    this.#lastCode = lastCode;
    this.#isRunning = true;
    this.#spawn();
  }

  /** Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.stdin?.end();
    await ended;
    clearTimeout(timer);
  }

  #spawn(): void {
    const { flags, log } = this.#options;
    const args = [...process.execArgv, this.#program, ...flags(this.#port)];
    const env = { ...process.env, ODDLOT_RELAY_CHILD: '1' };
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
    lowerPriority(child.pid);
    this.#child = child;
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-1_000);
      const [, url, address] = SERVING.exec(said) ?? [];
      if (url === undefined || address === undefined) return;
      said = '';
      this.#failures = 0;
      this.#port = Number(new URL(url).port);
      log.info({ url, address }, 'relay started');
      this.#options.onServing({ url, address });
    });
    child.once('error', (error) => log.warn({ err: error }, 'relay could not be started'));
    child.stdin?.on('error', () => undefined);
    child.once('close', (code, signal) => {
      this.#child = undefined;
      if (!this.#isRunning) return;
      if (code === this.#lastCode) {
        log.error({ code }, 'relay exited and will not be restarted; see its message above');
        return;
      }
      const waitMs = Math.min(RESTART_MS.most, RESTART_MS.least * 2 ** this.#failures);
      this.#failures = Math.min(16, this.#failures + 1);
      log.warn({ code, signal, waitMs }, 'relay exited; restarting it');
      this.#timer = setTimeout(() => this.#spawn(), waitMs);
    });
  }
}
