import { createHasher, type Hasher, type Network, NETWORKS, serviceWordOf } from '@oddlot/protocol';
import { SigningError, ValidationError } from './errors.ts';

/**
 * What a client signs for. A signature executes wherever its name serves, so the name is the caller's to
 * give, never the venue's to choose: a venue that lies about it would have its users sign for another.
 * On the caller's own machine that trust is there already, and the venue is asked.
 */

/** A venue of play money, by its network; or any venue, by its name, `example.org-3fa9c1d2`. */
export type NetworkName = 'testnet' | (string & {});

/** What the venue says of itself. */
type Told = () => Promise<{
  readonly service_network: string;
  readonly chain_id: number;
  readonly api_version: number;
}>;

/** Hashes for the network that signatures are bound to; asked for once, when something is signed first. */
export type HasherSource = () => Promise<Hasher>;

export function hasherSource(
  given: NetworkName | Network | undefined,
  { settings, url }: { readonly settings: Told; readonly url: string },
): HasherSource {
  const known = knownNetwork(given);
  if (known !== undefined) {
    let hasher: Promise<Hasher> | undefined;
    return () => (hasher ??= Promise.resolve(createHasher(known)));
  }
  const name = given as string | undefined;
  let asked: Promise<Hasher> | undefined = undefined;
  return () => {
    asked ??= askNetwork(name, { settings, url }).catch((error: unknown) => {
      // Nothing was learnt; the next signature asks again.
      asked = undefined;
      throw error;
    });
    return asked;
  };
}

/** Elsewhere than on this machine a client that signs is told for whom. */
export function checkNamed(given: NetworkName | Network | undefined, url: string): void {
  if (given === undefined && !isLoopback(url)) throw new ValidationError(unnamed(url));
}

function knownNetwork(given: NetworkName | Network | undefined): Network | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'string') {
    const { serviceNetwork, chainId, apiVersion } = given;
    return { serviceNetwork, chainId, apiVersion };
  }
  if (given === 'testnet' || given === NETWORKS.testnet.serviceNetwork) return NETWORKS.testnet;
  if (serviceWordOf(given) !== undefined) return undefined;
  throw new ValidationError(
    `Unknown network: ${given}. Use 'testnet' or the network name of the venue, like ` +
      'example.org-3fa9c1d2',
  );
}

async function askNetwork(
  name: string | undefined,
  { settings, url }: { readonly settings: Told; readonly url: string },
): Promise<Hasher> {
  if (name === undefined && !isLoopback(url)) throw new SigningError(unnamed(url));
  const told = await settings();
  const { service_network: serviceNetwork, chain_id: chainId, api_version: apiVersion } = told;
  if (name !== undefined && name !== serviceNetwork) {
    throw new SigningError(
      `The network name of the venue at ${url} is ${serviceNetwork}, but this client signs ` +
        `for ${name} only. Nothing was signed`,
    );
  }
  return createHasher({ serviceNetwork, chainId, apiVersion });
}

function unnamed(url: string): string {
  return `Signatures are valid for one network name. Pass the network name of the venue at ${url} as \`network\`; its operator publishes it`;
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|.+\.localhost|127\.[0-9.]+|\[::1\])$/.test(hostname);
}

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
