import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** They are programs of users, so they run as those of users do: as processes, with a key, by the public doors alone. */
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

/** None of them outlives a venue that is killed. */
const WITH_PARENT = 'data:text/javascript,process.once("disconnect",()=>process.exit())';

export const EXAMPLE_MAKERS: readonly string[] = PROGRAMS.map(({ name }) => name);

/** Two of the examples, on a venue of this machine. */
export class ExampleMakers {
  readonly #children: ChildProcess[] = [];
  #isEnding = false;

  /** The account of each, in the order of `EXAMPLE_MAKERS`. */
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

  /** Resolves when both are gone; the venue cancels what they leave. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.kill();
        await gone;
      }),
    );
  }
}
