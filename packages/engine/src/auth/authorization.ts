import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';

/** The account acted for, or why the signer may not act. */
export type Authorization =
  | { readonly account: Account; readonly reject?: Reject }
  | { readonly account?: never; readonly reject: Reject };
