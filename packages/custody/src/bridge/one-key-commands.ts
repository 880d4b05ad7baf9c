import { BRIDGE_ABI } from '@oddlot/contracts';
import { createWholeFile } from '@oddlot/host/durable';
import { encodeFunctionData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { lower } from './bridge-chain.ts';
import { type BridgeCommand, clientOf, send } from './bridge-context.ts';
import { BridgeCommandError } from './bridge-error.ts';
import { idOf } from './bridge-options.ts';
import { keyPlaceWarnings } from './key-place-warnings.ts';

/** What takes one key: the guardian's powers, finishing what waits, and keys themselves. */

/** Stops deposits and payouts. */
export const pause: BridgeCommand = (context) => call(context, 'pause', []);

/** Lets them go on, by the guardian. */
export const unpauseByGuardian: BridgeCommand = (context) => call(context, 'unpause', []);

/** Ends a large payout that waits, by the guardian. */
export const cancelQueued: BridgeCommand = (context) =>
  call(context, 'cancelQueued', [idOf(context.options.only('id'))]);

/** Pays a large payout whose time has come; anybody may. */
export const finish: BridgeCommand = (context) =>
  call(context, 'finish', [idOf(context.options.only('id'))]);

async function call(
  context: Parameters<BridgeCommand>[0],
  functionName: 'pause' | 'unpause' | 'cancelQueued' | 'finish',
  args: readonly bigint[],
): Promise<void> {
  const to = context.options.address('bridge');
  const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName, args } as never);
  await send(context, await clientOf(context), { to, data });
}

/** Makes a key that nobody has seen, in a file that nobody else can read. Says its address alone. */
export const makeKey: BridgeCommand = async ({ options, print, warn }) => {
  const file = options.only('file');
  const key = generatePrivateKey();
  try {
    createWholeFile(file, `${key}\n`);
  } catch (cause) {
    throw new BridgeCommandError(`${file} must be a new file: ${(cause as Error).message}`, {
      cause,
    });
  }
  for (const line of keyPlaceWarnings(file)) warn(line);
  print(lower(privateKeyToAccount(key).address));
};

/** The address of a key. */
export const tellAddress: BridgeCommand = async ({ options, print }) => {
  print(lower(privateKeyToAccount(options.key()).address));
};
