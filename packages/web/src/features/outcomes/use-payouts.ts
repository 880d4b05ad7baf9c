import type { Leg } from '@oddlot/sdk';
import { ledgerLists } from '../../market/account-lists.ts';
import { useSession } from '../../session/use-session.ts';

/** What a leg paid to this account when its market was resolved; nothing, if it was the wrong one. */
export type Payout = { readonly outcome: Leg; readonly sz: string; readonly amount: string };

/** From the account's own ledger. */
export function usePayouts(instrumentId: number): readonly Payout[] {
  const user = useSession()?.address;
  const rows = ledgerLists.use(user, (state) => state.rows);
  return rows.flatMap(({ delta }) =>
    delta.type === 'outcomeSettlement' && delta.instrumentId === instrumentId ? [delta] : [],
  );
}
