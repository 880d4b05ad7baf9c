import { agentOwner, hasAccount, type State } from '@oddlot/engine';
import { mainnetSignature } from '@oddlot/protocol';
import type { Endpoint } from '@oddlot/host/http';
import type { Address } from '@oddlot/units';
import { recovering, type RecoverPool } from '../recover-pool.ts';
import type { Introduced } from './exchange-endpoint.ts';

/**
 * Handles the first request of an unknown signer on the port for Hyperliquid clients. An L1
 * signature for Hyperliquid's mainnet recovers to an unknown address here. If its mainnet signer is
 * a known account, the request is refused with that reason; any other signer is credited with test
 * funds.
 */

type Options = {
  readonly state: () => State;
  readonly pool: Pick<RecoverPool, 'recover'>;
  /** Undefined if the venue has no faucet, in which case unknown signers stay unknown. */
  readonly faucet: Endpoint | undefined;
};

const LOOPBACK = '127.0.0.1';

export function introduceSigner({ faucet, pool, state }: Options) {
  const isKnown = (user: Address): boolean =>
    hasAccount(state(), user) || agentOwner(state(), user) !== undefined;
  return async (signer: Address, request: string): Promise<Introduced> => {
    const { mainnetSigner } = await recovering(pool.recover(request));
    if (mainnetSigner !== undefined && isKnown(mainnetSigner as Address)) {
      return { refused: mainnetSignature('a') };
    }
    if (faucet === undefined) return { isKnown: false };
    const body = { user: signer };
    await faucet.handle({ body, text: JSON.stringify(body), ip: LOOPBACK });
    return { isKnown: isKnown(signer) };
  };
}
