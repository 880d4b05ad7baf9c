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
  return async (error) => {
    if (!REFUSALS.test((error as Error).name)) return error;
    try {
      const fault = await (asked ??= compare());
      return fault ? new SigningError(fault, { cause: error }) : error;
    } catch {
      // Nothing was learnt; the next refusal asks again.
      asked = undefined;
      return error;
    }
  };
}

/** Where two networks differ, in words. */
export function networkFault(own: Network, told: Awaited<ReturnType<Told>>): string | undefined {
  const mine = named(own.serviceNetwork, own.chainId, own.apiVersion);
  const theirs = named(told.service_network, told.chain_id, told.api_version);
  if (mine !== theirs) return `This client signs for ${mine}, and the venue is of ${theirs}`;
  return undefined;
}

function named(name: string, chainId: number, version: number): string {
  return `${name} (chain id ${chainId}, version ${version})`;
}
