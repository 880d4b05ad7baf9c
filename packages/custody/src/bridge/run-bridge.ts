import { ChainDisagreementError, ChainUnavailableError, chainFault } from '../chain/chain-error.ts';
import { KeyError } from '../key-files/key-error.ts';
import type { BridgeCommand } from './bridge-context.ts';
import { BridgeCommandError, NotMinedError, UsageError } from './bridge-error.ts';
import { BridgeOptions } from './bridge-options.ts';
import { deploy } from './deploy.ts';
import { keyPlaceWarnings } from './key-place-warnings.ts';
import { move } from './move.ts';
import {
  cancelQueued,
  finish,
  makeKey,
  pause,
  tellAddress,
  unpauseByGuardian,
} from './one-key-commands.ts';
import { returnDeposit } from './return-deposit.ts';
import { signRequest } from './sign-request.ts';
import { status } from './status.ts';
import { cancel, rotate, unpauseByThreshold } from './threshold-commands.ts';

/** How a command ends: done, not done, written wrongly, or sent and nobody knows yet. */
const EXIT = { done: 0, failed: 1, usage: 2, notMined: 3 } as const;

const BRIDGE_USAGE = `Usage: oddlot bridge COMMAND [options]

Keys and looking
  key FILE                        makes a key in a new file and says its address
  address --key K                 says the address of a key
  status [--id ID] [--account A]  who decides, what it holds, whether it runs

By one key
  deploy --token T --validators A,B,C --threshold N --guardian G --large-usd USDC --delay-seconds S
  pause | unpause                 by the guardian
  cancel-queued ID                by the guardian: ends a large payout that waits
  finish ID                       by anybody: pays a large payout whose time has come

By a threshold of validators: prepare a file, sign it in turn (or copies of it), send it
  rotate  --prepare FILE --validators A,B,C --threshold N --guardian G
  unpause --prepare FILE
  cancel ID --prepare FILE
  return  --prepare FILE --operations URL --tx HASH --log INDEX [--to ADDRESS]
  move    --prepare FILE --to BRIDGE   all that it holds, to the bridge that follows
  sign FILE                       shows it, without any network
  sign FILE --key K | --signature HEX
  rotate | unpause | cancel | return | move   --send FILE [--send FILE]…

Options
  --rpc URL[,URL]   endpoints; what two do not say alike is not believed
  --bridge ADDRESS  the bridge
  --key PLACE       who sends or signs: a file, or env:NAME
  --chain-id N      refuses endpoints of another chain
  --confirmations N waits for so many blocks (1)
  --wait-seconds N  at most so long (120)

Ends with 0 when it is done, 1 when not, 2 when the command is wrong, 3 when it was sent and no block has it yet.
`;

const COMMANDS: Readonly<Record<string, BridgeCommand>> = {
  key: makeKey,
  address: tellAddress,
  status,
  deploy,
  pause,
  // The guardian alone needs no file.
  unpause: (context) => {
    const file = context.options.text('prepare') ?? context.options.sent;
    return file === undefined ? unpauseByGuardian(context) : unpauseByThreshold(context);
  },
  'cancel-queued': cancelQueued,
  finish,
  cancel,
  rotate,
  return: returnDeposit,
  move,
  sign: signRequest,
};

/** Runs one command and says how it ended. */
export async function runBridge(
  [name = '--help', ...args]: readonly string[],
  {
    complain,
    env,
    print,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly print: (line: string) => void;
    /** Takes what went wrong, and warnings. */
    readonly complain: (line: string) => void;
  },
): Promise<number> {
  if (name === '--help' || args.includes('--help')) {
    print(BRIDGE_USAGE);
    return EXIT.done;
  }
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new UsageError(`there is no command ${name}`);
    const options = new BridgeOptions(args, env);
    for (const line of keyPlaceWarnings(options.text('key') ?? 'env:')) complain(line);
    await command({ options, print, warn: complain });
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) {
      complain(`${error.message} (see oddlot bridge --help)`);
      return EXIT.usage;
    }
    complain(chainFault(error));
    if (error instanceof NotMinedError) return EXIT.notMined;
    if (EXPLAINED.some((kind) => error instanceof kind)) return EXIT.failed;
    // An endpoint that fails says so by an error of its own.
    if (error instanceof Error && 'shortMessage' in error) return EXIT.failed;
    throw error;
  }
}

const EXPLAINED = [BridgeCommandError, ChainDisagreementError, ChainUnavailableError, KeyError];
