import { createHasher, type Hasher, type Network, NETWORKS, serviceWordOf } from '@oddlot/protocol';
import { SigningError, ValidationError } from './errors.ts';

/**
 * The network name of a venue, such as `example.org-3fa9c1d2`, or `'testnet'` for a venue with test
 * funds.
 */
export type NetworkName = 'testnet' | (string & {});

/** A function that requests the venue's settings. */
type QuerySettings = () => Promise<{
  readonly service_network: string;
  readonly chain_id: number;
  readonly api_version: number;
}>;

/**
 * Returns the hasher for the network that signatures are bound to. The network is requested once,
 * before the first signature. A signature is valid on every venue with the same network name, so
 * the caller must choose the name; otherwise a dishonest venue could obtain signatures that are
 * valid on another venue. The name is requested only from a venue on the caller's own machine.
 */
export type HasherSource = () => Promise<Hasher>;

export function hasherSource(
  given: NetworkName | Network | undefined,
  { settings, url }: { readonly settings: QuerySettings; readonly url: string },
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
      // The request failed, so the next signature retries it.
      asked = undefined;
      throw error;
    });
    return asked;
  };
}

/** Throws unless a network name is given or the venue is on the caller's own machine. */
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
    `Unknown network: ${given}. Use 'testnet' or the network name of the venue`,
  );
}

async function askNetwork(
  name: string | undefined,
  { settings, url }: { readonly settings: QuerySettings; readonly url: string },
): Promise<Hasher> {
  if (name === undefined && !isLoopback(url)) throw new SigningError(unnamed(url));
  const reported = await settings();
  const { service_network: serviceNetwork, chain_id: chainId, api_version: apiVersion } = reported;
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

/** Converts an error from a signed action to the error for the caller. */
export type NetworkCheck = (error: unknown) => Promise<unknown>;

/**
 * The refusals that a signature for another network can cause, because the signer recovered from it
 * is unknown.
 */
const REFUSALS = /^(UNAUTHORIZED|MISMATCH|NO_ACCOUNT)$/;

/**
 * Compares the client's network with the venue's settings once, after the first refusal that a
 * wrong network could explain. Successful actions never wait for this check.
 */
export function networkCheck(hasher: HasherSource, settings: QuerySettings): NetworkCheck {
  let asked: Promise<string | undefined> | undefined;
  const compare = async (): Promise<string | undefined> =>
    networkFault((await hasher()).network, await settings());
  return async (refusal) => {
    if (!REFUSALS.test((refusal as Error).name)) return refusal;
    // After a failure, the next refusal retries the request.
    const fault = await (asked ??= compare()).catch(() => (asked = undefined));
    return fault ? new SigningError(fault, { cause: refusal }) : refusal;
  };
}

/**
 * Returns a message that compares two networks by name, chain id and API version, or undefined if
 * they are equal.
 */
export function networkFault(
  own: Network,
  reported: Awaited<ReturnType<QuerySettings>>,
): string | undefined {
  const mine = [own.serviceNetwork, own.chainId, own.apiVersion].join(' ');
  const theirs = [reported.service_network, reported.chain_id, reported.api_version].join(' ');
  if (mine !== theirs)
    return `The network name of the venue is ${theirs}, but this client signs for ${mine} only`;
  return undefined;
}
