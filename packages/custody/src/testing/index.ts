/** Chains and bridges for tests, real and modelled. */
export { BridgedChain, type Fault, mintData, TEST_CHAIN_ID } from './bridged-chain.ts';
export { bridgeWorld } from './bridge-world.ts';
export {
  lower,
  type ModelCall,
  ModelChain,
  type ModelResult,
  type ModelWorld,
  rememberSender,
} from './model-chain.ts';
