export { BridgedChain, mintData, TEST_CHAIN_ID } from './bridged-chain.ts';
export { type BridgeState, bridgeWorld } from './bridge-world.ts';
export { type EndpointFault, faultyEndpoint } from './faulty-endpoint.ts';
export { lowerAddressOf, signedBy, withdrawal } from './signed-requests.ts';
export { ModelChain, placedLogs, rememberSender } from './model-chain.ts';
