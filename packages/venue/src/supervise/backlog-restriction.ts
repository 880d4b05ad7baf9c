import { refusal } from '@oddlot/protocol';
import type { Restriction } from '../edge/admission-guard.ts';

/**
 * What receipts that can't be stored fast enough keep from /exchange: they wait in memory, which would
 * else be bounded by nothing.
 */
export function backlogRestriction(store: { readonly isBehind: boolean }): Restriction | undefined {
  return store.isBehind ? { stops: 'risk', error: refusal('unavailable', []) } : undefined;
}
