/** Each action alone, for pages and workers that send one of them and count every byte. */
export { createSender, type Sender, type SenderOptions } from './create-sender.ts';
export * from './exchange/approvals.ts';
export * from './exchange/margin.ts';
export * from './exchange/orders.ts';
export * from './exchange/transfers.ts';
export { waitForAction } from './exchange/reply.ts';
