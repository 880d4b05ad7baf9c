/** Each action alone, for pages and workers that send one of them and count every byte. */
export { createSender, type Sender, type SenderOptions } from './create-sender.ts';
export {
  approveAgent,
  approveBuilderFee,
  claimBuilderRewards,
  revokeBuilderFee,
} from './exchange/approvals.ts';
export {
  cancel,
  cancelAll,
  cancelByCloid,
  modify2,
  order,
  reversePosition,
  scheduleCancel,
} from './exchange/orders.ts';
export { convertToMultiSigUser } from './exchange/convert-to-multi-sig-user.ts';
export { outcomeOperate } from './exchange/outcomes.ts';
export { sendTo, tokenSend, transferBetween, withdraw3 } from './exchange/transfers.ts';
export {
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  updatePositionMode,
} from './exchange/margin.ts';
export { waitForAction } from './exchange/reply.ts';
