/** Access to a chain through several endpoints, at least two of which must agree. */
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
