import type { Hex } from 'viem';
import { readState } from './bridge-chain.ts';
import { type BridgeCommand, clientOf } from './bridge-context.ts';
import { BridgeCommandError, UsageError } from './bridge-error.ts';
import { idOf } from './bridge-options.ts';
import { partyWarnings } from './party-warnings.ts';
import { prepareOrSend } from './prepare-or-send.ts';

/** What takes a threshold of validators: a request is prepared, signed by each where their key is, and sent. */

export const rotate: BridgeCommand = (context) =>
  prepareOrSend(context, 'Rotation', async ({ options, print }) => {
    const [validators, guardian] = [options.addresses('validators'), options.address('guardian')];
    const threshold = options.whole('threshold');
    assertDecides(validators, threshold);
    const parties = { validators, threshold: BigInt(threshold), guardian };
    for (const warning of partyWarnings(parties)) print(warning);
    const { rotationNonce } = await readState(await clientOf(context), options.address('bridge'));
    const message = {
      validators: [...validators],
      threshold: String(threshold),
      guardian,
      nonce: String(rotationNonce),
    };
    return { primaryType: 'Rotation', message };
  });

export const unpauseByThreshold: BridgeCommand = (context) =>
  prepareOrSend(context, 'Unpause', async ({ options }) => {
    const bridge = options.address('bridge');
    const { isPaused, pauseNonce } = await readState(await clientOf(context), bridge);
    if (!isPaused) throw new BridgeCommandError('the bridge is not paused');
    return { primaryType: 'Unpause', message: { nonce: String(pauseNonce) } };
  });

export const cancel: BridgeCommand = (context) =>
  prepareOrSend(context, 'Cancellation', async ({ options }) => {
    const withdrawalId = String(idOf(options.only('id')));
    return { primaryType: 'Cancellation', message: { withdrawalId } };
  });

const VALIDATORS_MAX = 64;

function assertDecides(validators: readonly Hex[], threshold: number): void {
  const isSet = new Set(validators).size === validators.length;
  if (
    isSet &&
    threshold >= 1 &&
    threshold <= validators.length &&
    validators.length <= VALIDATORS_MAX
  )
    return;
  throw new UsageError(
    'Invalid validators. Use 1 to 64 different validators and a threshold from 1 to ' +
      'the number of validators',
  );
}
