/** Chains and bridges for tests, real and modelled. */
export { BridgedChain, type Fault, mintData, TEST_CHAIN_ID } from './bridged-chain.ts';
export { ModelChain, rememberSender } from './model-chain.ts';
