import { ChainDisagreementError, ChainUnavailableError, chainFault } from '../chain/endpoints.ts';
import { KeyError } from '../key-files/key-error.ts';
import { type BridgeCommand, BridgeOptions, keyPlaceWarnings } from './bridge-options.ts';
import { BridgeCommandError, NotMinedError, UsageError } from './bridge-chain.ts';
import {
  cancelQueued,
  deploy,
  finish,
  makeKey,
  pause,
  status,
  showAddress,
  unpauseByGuardian,
} from './one-key-commands.ts';
import {
  cancel,
  move,
  returnDeposit,
  rotate,
  signRequest,
  unpauseByThreshold,
} from './threshold-commands.ts';

/**
 * The exit codes of the commands. `notMined` means that a transaction was sent but its result is
 * unknown.
 */
const EXIT = { done: 0, failed: 1, usage: 2, notMined: 3 } as const;

const BRIDGE_USAGE = `Usage: oddlot bridge COMMAND [options]

Keys and status
  key FILE                        Create a key in a new file and print its address
  address --key K                 Print the address of a key
  status [--id ID] [--account A]  Show the bridge's validators, balance and state

Commands that need one key
  deploy --token T --validators A,B,C --threshold N --guardian G --large-usd USDC --delay-seconds S
  pause | unpause                 Pause or resume payouts (guardian)
  cancel-queued ID                Cancel a queued large payout (guardian)
  finish ID                       Execute a large payout that is due (any key)

Commands that need a threshold of validators: prepare a file, have the validators sign it in turn (or sign copies), then send it
  rotate  --prepare FILE --validators A,B,C --threshold N --guardian G
  unpause --prepare FILE
  cancel ID --prepare FILE
  return  --prepare FILE --operations URL --tx HASH --log INDEX [--to ADDRESS]
  move    --prepare FILE --to BRIDGE   Move the whole balance to another bridge
  sign FILE                       Show the request, without network access
  sign FILE --key K | --signature HEX
  rotate | unpause | cancel | return | move   --send FILE [--send FILE]…

Options
  --rpc URL[,URL]   JSON-RPC endpoints; with several, at least two must agree
  --bridge ADDRESS  Address of the bridge
  --key PLACE       Key that sends or signs: a file, or env:NAME
  --chain-id N      Reject endpoints for any other chain
  --confirmations N Number of confirmations to wait for (default 1)
  --wait-seconds N  Maximum time to wait (default 120)

Exit codes: 0 done, 1 failed, 2 usage error, 3 sent but not in a block yet
`;

const COMMANDS: Readonly<Record<string, BridgeCommand>> = {
  key: makeKey,
  address: showAddress,
  status,
  deploy,
  pause,
  // Only the guardian can do this without a request file.
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

export async function runBridge(
  [name = '--help', ...args]: readonly string[],
  {
    complain,
    env,
    print,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly print: (line: string) => void;
    readonly complain: (line: string) => void;
  },
): Promise<number> {
  if (name === '--help' || args.includes('--help')) {
    print(BRIDGE_USAGE);
    return EXIT.done;
  }
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new UsageError(`Unknown command ${name}`);
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
    // An endpoint reports failures with its own error class, which has a `shortMessage`.
    if (error instanceof Error && 'shortMessage' in error) return EXIT.failed;
    throw error;
  }
}

const EXPLAINED = [BridgeCommandError, ChainDisagreementError, ChainUnavailableError, KeyError];
