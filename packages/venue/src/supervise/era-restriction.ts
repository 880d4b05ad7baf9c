import { RULES_VERSION } from '@oddlot/engine';
import { refusal } from '@oddlot/protocol';
import type { Restriction } from '../edge/admission-guard.ts';

/** What rules that this program does not know keep from /exchange: all of it, from their announcement on (R-era). */
export function eraRestriction(announced: number): Restriction | undefined {
  if (announced <= RULES_VERSION) return undefined;
  return { stops: 'all', error: refusal('rulesAnnounced', [announced, RULES_VERSION]) };
}
