import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ACTIONS } from '@oddlot/protocol';
import { createHasher, signAction } from '@oddlot/sdk';
import { present } from '@oddlot/units';
import { CliError } from '../cli-error.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { print } from '../print.ts';

type SignOptions = GlobalOptions & { readonly expires: string };
type Input = Parameters<typeof signAction>[0];

const STDIN = 0;
const EXPIRES_MAX_SECONDS = 3_600;
const AGENT_SIGNED: readonly string[] = Object.entries(ACTIONS)
  .filter(([, { signedBy }]) => signedBy === 'agent')
  .map(([type]) => type);

/** Adds the command that signs an action for programs without a signature library. */
export function addSign(program: Command, around: CommandContext): void {
  program
    .command('sign')
    .summary('Sign a trading action and print the request, for curl and other programs')
    .description(
      'Prints the body of a request to /exchange and sends nothing. The venue executes the body ' +
        'at most once, even if it is sent several times.',
    )
    .argument('[action]', 'Action as JSON (default: read from standard input)')
    .option('--expires <seconds>', 'Time during which the venue accepts the request', '60')
    .addHelpText(
      'after',
      '\nExample:\n  oddlot sign \'{"type":"cancelAll"}\' |\n    curl -s http://127.0.0.1:8690/exchange ' +
        "-H 'content-type: application/json' -d @-",
    )
    .action(async (text: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SignOptions>();
      const action = readAction(text ?? readFileSync(STDIN, 'utf8'));
      const expiresAfter = Date.now() + lifeMsOf(options);
      const client = await around.signer(options);
      const hasher = createHasher(await client.network());
      const wallet = present(client.wallet, 'the wallet of a signer');
      const fields = { nonce: Date.now(), expiresAfter, confirm: 'executed' } as const;
      const { body } = await signAction(action, fields, { hasher, wallet });
      print({ json: JSON.parse(body), lines: [body] }, options.json);
    });
}

function readAction(text: string): Input {
  const action = parsed(text);
  const { type } = (action ?? {}) as { readonly type?: unknown };
  if (typeof type === 'string' && AGENT_SIGNED.includes(type)) return action as Input;
  throw new CliError(
    'usage',
    `Invalid type ${JSON.stringify(type)} of the action. Use ${AGENT_SIGNED.join(', ')}.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError('usage', `The action is not valid JSON: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

function lifeMsOf({ expires }: SignOptions): number {
  const seconds = Number(expires);
  if (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= EXPIRES_MAX_SECONDS) {
    return seconds * 1_000;
  }
  throw new CliError(
    'usage',
    `Invalid --expires. Use a whole number from 1 to ${EXPIRES_MAX_SECONDS}.`,
  );
}
