/** A modelled chain for the tests of deposits. */
export {
  CONTRACT_SENDER,
  type Doing,
  MODEL_BRIDGE,
  MODEL_CHAIN_ID,
  MODEL_TOKEN,
  ModelChain,
  type ModelTransaction,
} from './model-chain.ts';
export { type EndpointFault, ModelEndpoint } from './model-endpoint.ts';
