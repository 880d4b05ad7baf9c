import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Runs a program to its end and returns its output. If the program fails, the error includes its
 * error output.
 */
export async function runCommand(
  program: string,
  parameters: readonly string[],
  {
    cwd,
    env = {},
    timeoutMs = 120_000,
  }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly timeoutMs?: number },
): Promise<string> {
  const environment = { ...quietEnvironment(), ...env };
  const options = { cwd, timeout: timeoutMs, maxBuffer: 32 << 20, env: environment };
  try {
    return (await promisify(execFile)(program, [...parameters], options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    const output = `${stdout ?? ''}\n${stderr ?? ''}`.slice(-4000);
    throw new Error(`${program} ${parameters.join(' ')} failed:\n${output}`, { cause: error });
  }
}

/**
 * Returns the environment without the variables that npm sets for scripts, which would change how a
 * nested npm behaves.
 */
export function quietEnvironment(): NodeJS.ProcessEnv {
  const settings = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:config_(?:workspace|prefix|local_prefix)|lifecycle|package)/.test(name),
  );
  return { ...Object.fromEntries(settings), NO_COLOR: '1' };
}
