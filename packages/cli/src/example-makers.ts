import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * The examples are user programs, so they run as other user programs do: as processes, with a key,
 * through the public API.
 */
const PROGRAMS = [
  {
    name: 'market-maker',
    file: fileURLToPath(new URL('../../../examples/market-maker.ts', import.meta.url)),
    args: ['BTC', 'ETH', 'SOL'],
  },
  {
    name: 'outcome-maker',
    file: fileURLToPath(new URL('../../../examples/outcome-maker.ts', import.meta.url)),
    args: [],
  },
] as const;

/** This module ends the child processes if the venue is killed. */
const WITH_PARENT = 'data:text/javascript,process.once("disconnect",()=>process.exit())';

export const EXAMPLE_MAKERS: readonly string[] = PROGRAMS.map(({ name }) => name);

/** Runs two of the examples on a local venue. */
export class ExampleMakers {
  readonly #children: ChildProcess[] = [];
  #isEnding = false;

  /** Creates the makers. Takes one account for each of `EXAMPLE_MAKERS`, in the same order. */
  constructor(url: string, accounts: readonly { readonly privateKey: string }[]) {
    for (const [at, { args, file, name }] of PROGRAMS.entries()) {
      const env = { ...process.env, ODDLOT_URL: url, ODDLOT_KEY: accounts[at]!.privateKey };
      const child = spawn(process.execPath, ['--import', WITH_PARENT, file, ...args], {
        env,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child.once('exit', (code) => {
        if (!this.#isEnding) process.stderr.write(`${name} exited with ${code}\n`);
      });
      this.#children.push(child);
    }
  }

  /** Resolves when both processes have exited. The venue cancels their orders. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill();
        await exited;
      }),
    );
  }
}
