import { CliError } from './cli-error.ts';

const ENTER = new Set(['\r', '\n']);
const CANCEL = new Set(['\u0003', '\u0004']);
const BACK = new Set(['\u007f', '\b']);

/** Reads a line from the terminal without showing it; where there is none, what the environment should have had is named. */
export function readSecret(prompt: string, variable: string): Promise<string> {
  const { stderr, stdin } = process;
  if (!stdin.isTTY) {
    throw new CliError(
      'usage',
      `Cannot prompt for input without a terminal (${prompt.trim()}). Set ${variable}.`,
    );
  }
  // Before the prompt: input that is sent as soon as it appears must not be shown either.
  stdin.setRawMode(true).setEncoding('utf8').resume();
  stderr.write(prompt);
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (): void => {
      stdin.setRawMode(false).pause().off('data', take);
      stderr.write('\n');
    };
    const take = (typed: string): void => {
      for (const character of typed) {
        if (ENTER.has(character)) {
          end();
          return resolve(text);
        }
        if (CANCEL.has(character)) {
          end();
          return reject(new CliError('usage', 'Interrupted. Nothing was done.'));
        }
        text = BACK.has(character) ? text.slice(0, -1) : text + character;
      }
      return undefined;
    };
    stdin.on('data', take);
  });
}
