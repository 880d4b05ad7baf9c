/** How a receipt is asked for. */
export type ReceiptKey =
  | { readonly by: 'txHash'; readonly txHash: string }
  | { readonly by: 'traceId'; readonly traceId: string }
  | { readonly by: 'nonce'; readonly signer: string; readonly nonce: number };
