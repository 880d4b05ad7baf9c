/** The only accepted value of the `x-api-version` header, and its default. */
export const API_VERSION = '2026-08-16';

export const API_VERSION_HEADER = 'x-api-version';

/** The values that bind a signature to one deployment. */
export type Network = {
  /** The deployment's network name, used as the `name` in the EIP-712 domain. */
  readonly serviceNetwork: string;
  readonly chainId: number;
  /** The version of the signing scheme, independent of the version in the header. */
  readonly apiVersion: number;
};

/** The networks by name. A venue that uses only test funds has the network name given here. */
export const NETWORKS = {
  mainnet: { serviceNetwork: 'Oddlot-Mainnet', chainId: 869, apiVersion: 1 },
  testnet: { serviceNetwork: 'Oddlot-Testnet', chainId: 2511, apiVersion: 1 },
} as const satisfies Record<string, Network>;

/**
 * The first part of the network name of any other venue, chosen by its operator. The documentation
 * recommends the operator's domain.
 */
export const SERVICE_WORD = /^[A-Za-z0-9][A-Za-z0-9.]{2,54}$/;

const SERVICE_NAME = /^([A-Za-z0-9][A-Za-z0-9.]{2,54})-[0-9a-f]{8}$/;

/**
 * The number of random bytes per data folder. They end its network name as 8 hexadecimal digits.
 * They make the name unique, because a signed message is valid on every venue with the same name.
 */
export const SERVICE_DIGITS_BYTES = 4;

/** Builds a network name, for example `example.org-3fa9c1d2`. */
export function serviceName(word: string, digits: string): string {
  return `${word}-${digits}`;
}

/** Returns the operator's part of a network name, or undefined for a name without digits. */
export function serviceWordOf(name: string): string | undefined {
  return SERVICE_NAME.exec(name)?.[1];
}
