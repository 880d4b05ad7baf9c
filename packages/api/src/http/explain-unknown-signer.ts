import { agentOwner, hasAccount, type State } from '@oddlot/engine';
import { mainnetSignature, unfundedSigner } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { RecoverPool } from '../recover-pool.ts';
import type { ExplainSigner } from './exchange-endpoint.ts';

type Options = {
  readonly state: () => State;
  readonly pool: Pick<RecoverPool, 'recover'>;
};

/**
 * Explains refusals of unknown signers on the port for Hyperliquid clients. A signature made for
 * Hyperliquid's mainnet recovers to a different address in each request, so a request never credits
 * test funds to an unknown signer. If the signer would be known on mainnet, the refusal states that
 * the client signs for mainnet.
 */
export function signerExplainer({ pool, state }: Options): ExplainSigner {
  const isKnown = (user: Address): boolean =>
    hasAccount(state(), user) || agentOwner(state(), user) !== undefined;
  return async (signer, request) => {
    const { mainnetSigner } = await pool.recover(request);
    const isForMainnet = mainnetSigner !== undefined && isKnown(mainnetSigner as Address);
    return isForMainnet ? mainnetSignature('a') : unfundedSigner(signer);
  };
}
