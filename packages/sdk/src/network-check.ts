import type { Network } from '@oddlot/protocol';
import { SigningError } from './errors.ts';
import type { HasherSource, Told } from './signing-network.ts';

/** Takes an error of a signed action, and gives the one that its sender should see. */
export type NetworkCheck = (error: unknown) => Promise<unknown>;

/** What a signature for another network is refused for: it recovers somebody whom the venue does not know. */
const REFUSALS = /^(UNAUTHORIZED|MISMATCH|NO_ACCOUNT)$/;

/**
 * Compares what a client signs for with what the venue says of itself, once, when a refusal is the first that another network would
 * explain: who signs for the right one is never asked to wait for it.
 */
export function networkCheck(hasher: HasherSource, settings: Told): NetworkCheck {
  let asked: Promise<string | undefined> | undefined;
  const compare = async (): Promise<string | undefined> =>
    networkFault((await hasher()).network, await settings());
  return async (refusal) => {
    if (!REFUSALS.test((refusal as Error).name)) return refusal;
    // Where nothing was learnt the next refusal asks again.
    const fault = await (asked ??= compare()).catch(() => (asked = undefined));
    return fault ? new SigningError(fault, { cause: refusal }) : refusal;
  };
}

/** Where two networks differ, in words: each by its name, chain id and API version. */
export function networkFault(own: Network, told: Awaited<ReturnType<Told>>): string | undefined {
  const mine = [own.serviceNetwork, own.chainId, own.apiVersion].join(' ');
  const theirs = [told.service_network, told.chain_id, told.api_version].join(' ');
  if (mine !== theirs)
    return `The network name of the venue is ${theirs}, but this client signs for ${mine} only`;
  return undefined;
}
