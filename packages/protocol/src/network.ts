/** The only accepted value of the `x-api-version` header, and its default. */
export const API_VERSION = '2026-08-16';

export const API_VERSION_HEADER = 'x-api-version';

/** The data that binds a signature to one deployment. */
export type Network = {
  /** The deployment's name, the `name` of the EIP-712 domain. */
  readonly serviceNetwork: string;
  readonly chainId: number;
  /** The signing version, not the header's API version. */
  readonly apiVersion: number;
};

/** The networks, by the names of venues that use only test funds. */
export const NETWORKS = {
  mainnet: { serviceNetwork: 'Oddlot-Mainnet', chainId: 869, apiVersion: 1 },
  testnet: { serviceNetwork: 'Oddlot-Testnet', chainId: 2511, apiVersion: 1 },
} as const satisfies Record<string, Network>;

/**
 * The name of a deployment in all signed messages. A venue with test funds uses the name of its
 * network; every other venue has its operator's word and random digits for its data folder, because
 * a signed message is valid wherever its name is served.
 */

/** The operator's word; the documentation recommends the domain. */
export const SERVICE_WORD = /^[A-Za-z0-9][A-Za-z0-9.]{2,54}$/;

const SERVICE_NAME = /^([A-Za-z0-9][A-Za-z0-9.]{2,54})-[0-9a-f]{8}$/;

/** The random part of a name in bytes, for 8 hexadecimal digits. */
export const SERVICE_DIGITS_BYTES = 4;

/** The name of a word with its digits, `example.org-3fa9c1d2`. */
export function serviceName(word: string, digits: string): string {
  return `${word}-${digits}`;
}

/** The word of a name; undefined for a name without digits. */
export function serviceWordOf(name: string): string | undefined {
  return SERVICE_NAME.exec(name)?.[1];
}
