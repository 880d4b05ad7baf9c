/**
 * Exports each action as a separate function, so that the bundle of a page or worker contains only
 * the actions that it sends.
 */
export { createSender, type Sender, type SenderOptions } from './create-sender.ts';
export * from './exchange/approvals.ts';
export * from './exchange/margin.ts';
export * from './exchange/orders.ts';
export * from './exchange/transfers.ts';
export { waitForAction } from './exchange/reply.ts';
