/** The one accepted value of the `x-api-version` header; a missing header means this value. */
export const API_VERSION = '2026-08-16';

/** The header that carries the API version. */
export const API_VERSION_HEADER = 'x-api-version';

/** What binds a signature to one deployment. The name is the deployment's own, hence a parameter. */
export type Network = {
  /** The deployment's name, the `name` of the EIP-712 domain. */
  readonly serviceNetwork: string;
  /** The network's chain id. */
  readonly chainId: number;
  /** The signing version, not the header's API version. */
  readonly apiVersion: number;
};

/** The networks, by the names of venues whose money is play money of their own. */
export const NETWORKS = {
  mainnet: { serviceNetwork: 'Oddlot-Mainnet', chainId: 869, apiVersion: 1 },
  testnet: { serviceNetwork: 'Oddlot-Testnet', chainId: 2511, apiVersion: 1 },
} as const satisfies Record<string, Network>;

/**
 * What a deployment is called in all that is signed for it. Play money of a venue's own goes by the name
 * of its network; every other venue has a word of its operator and digits drawn for its data folder, since
 * what is signed for one name executes wherever that name serves.
 */

/** The operator's word; the docs advise the domain. */
export const SERVICE_WORD = /^[A-Za-z0-9][A-Za-z0-9.]{2,54}$/;

const SERVICE_NAME = /^([A-Za-z0-9][A-Za-z0-9.]{2,54})-[0-9a-f]{8}$/;

/** The random part of a name, in bytes: as many as make 8 hexadecimal digits. */
export const SERVICE_DIGITS_BYTES = 4;

/** The name of a word with its digits, `example.org-3fa9c1d2`. */
export function serviceName(word: string, digits: string): string {
  return `${word}-${digits}`;
}

/** The word of a name; undefined for what is no name of a deployment of its own. */
export function serviceWordOf(name: string): string | undefined {
  return SERVICE_NAME.exec(name)?.[1];
}
