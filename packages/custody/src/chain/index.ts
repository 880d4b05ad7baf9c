/** A chain as endpoints tell it: nothing counts that two have not said alike. */
export {
  ChainClient,
  type ChainLog,
  type ChainReceipt,
  type EndpointStatus,
} from './chain-client.ts';
export {
  ChainDisagreementError,
  type ChainEndpoint,
  chainFault,
  ChainRevertError,
  ChainUnavailableError,
  localEndpoint,
  urlEndpoint,
} from './endpoints.ts';
