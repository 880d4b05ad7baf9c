import { moveIdOf } from '../bridge-contract/return-id.ts';
import { readState } from './bridge-chain.ts';
import { type BridgeCommand, clientOf } from './bridge-context.ts';
import { BridgeCommandError } from './bridge-error.ts';
import { prepareOrSend } from './prepare-or-send.ts';

/** Pays what a bridge holds to the one that follows it. */
export const move: BridgeCommand = (context) =>
  prepareOrSend(context, 'Payout', async ({ options }) => {
    const destination = options.address('to');
    const client = await clientOf(context);
    const here = await readState(client, options.address('bridge'));
    const there = await readState(client, destination);
    if (there.token !== here.token) {
      throw new BridgeCommandError(`the bridge ${destination} uses a different token`);
    }
    if (here.balance === 0n) throw new BridgeCommandError('the bridge has no balance to move');
    const withdrawalId = String(moveIdOf(destination, here.balance));
    const usd = String(here.balance);
    const message = { withdrawalId, user: destination, destination, usd };
    return { primaryType: 'Payout', message };
  });
