import { chainFault } from '@oddlot/custody/chain';
import type { Logger } from '@oddlot/host/log';
import type { Hex } from 'viem';
import type { VenueAccount } from './venue-account.ts';
import type { VenueApi } from '../venue-api.ts';

type ClaimOptions = {
  readonly account: VenueAccount;
  readonly api: Pick<VenueApi, 'ownerOf'>;
  readonly registerPegs: (addresses: readonly Hex[]) => Promise<void>;
  readonly log: Logger;
};

/**
 * R-agents: what pegs collect goes to the relay's own account, and an address that is somebody's agent
 * can have none. So the venue is told of it before anybody else hears of it, and a binding that is older
 * is ended by its own key. A relay that the venue does not know serves all the same; it has no pegs.
 */
export async function claimAddress(options: ClaimOptions): Promise<void> {
  const { account, api, log, registerPegs } = options;
  const { address } = account;
  try {
    await registerPegs([address]);
    if ((await api.ownerOf(address)) === undefined) return;
    const result = await account.deliver(await account.signRelease());
    if (result.is === 'executed') log.info({ address }, 'relay agent approval revoked');
    else log.warn({ address, why: result.why }, 'relay agent approval could not be revoked');
  } catch (error) {
    log.warn(
      { address, why: chainFault(error) },
      'relay address could not be registered with the venue',
    );
  }
}
