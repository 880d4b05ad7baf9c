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

/** The networks, by the names of venues whose money is play money of their own (see `service-name.ts`). */
export const NETWORKS = {
  mainnet: { serviceNetwork: 'Oddlot-Mainnet', chainId: 869, apiVersion: 1 },
  testnet: { serviceNetwork: 'Oddlot-Testnet', chainId: 2511, apiVersion: 1 },
} as const satisfies Record<string, Network>;
