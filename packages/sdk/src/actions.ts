/**
 * Exports each action as a separate function, so that a page or worker bundles only the actions it
 * sends.
 */
export { createSender, type Sender, type SenderOptions } from './create-sender.ts';
export * from './exchange/approvals.ts';
export * from './exchange/margin.ts';
export * from './exchange/orders.ts';
export * from './exchange/transfers.ts';
export { waitForAction } from './exchange/reply.ts';
