export { BRIDGE_ABI, BRIDGE_BYTECODE } from './outputs/bridge.ts';
export { TEST_USDC_ABI, TEST_USDC_BYTECODE } from './outputs/test-usdc.ts';
