/** A chain as endpoints tell it: nothing counts that two have not said alike. */
export {
  ChainClient,
  type ChainLog,
  type ChainReceipt,
  type EndpointStatus,
} from './chain-client.ts';
export { type ChainEndpoint, localEndpoint, urlEndpoint } from './chain-endpoint.ts';
export {
  ChainDisagreementError,
  chainFault,
  ChainRevertError,
  ChainUnavailableError,
} from './chain-error.ts';
