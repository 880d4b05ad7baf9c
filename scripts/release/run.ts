import { execFileSync } from 'node:child_process';

/** Long enough for `npm install` on a slow line. */
const RUN_MS_MAX = 300_000;
/** The tree of sources as a tar. */
const OUTPUT_BYTES_MAX = 512 << 20;

type RunOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
};

/** Runs a program to its end and gives what it printed. What it complained of is in the error. */
export function run(program: string, parameters: readonly string[], options: RunOptions): string {
  return runRaw(program, parameters, options).toString('utf8');
}

export function runRaw(
  program: string,
  parameters: readonly string[],
  { cwd, env, input }: RunOptions,
): Buffer {
  try {
    return execFileSync(program, [...parameters], {
      cwd,
      env: { ...environment(), ...env },
      ...(input === undefined ? {} : { input }),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: RUN_MS_MAX,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: Buffer };
    const told = String(stderr ?? '').slice(-4_000);
    throw new Error(`${program} ${parameters.join(' ')} failed:\n${told}`, { cause: error });
  }
}

/** Without what npm tells the scripts that it runs, and git its hooks: programs inside of it would act on that. */
function environment(): NodeJS.ProcessEnv {
  const settings = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(?:config_(?:workspace|prefix|local_prefix)|lifecycle|package)|^GIT_(?:DIR|INDEX_FILE|WORK_TREE)$/.test(
        name,
      ),
  );
  return { ...Object.fromEntries(settings), NO_COLOR: '1' };
}
