import { checkResolution, type ResolutionFinding } from '@oddlot/sdk';
import { verbatimReader } from '../../market/venue.ts';

/**
 * Recomputes a resolution from the original texts. The displayed texts lack direction characters
 * and therefore have a different hash.
 */
export async function recompute(instrumentId: number): Promise<readonly ResolutionFinding[]> {
  return checkResolution(await verbatimReader.info.outcomeResolution({ instrumentId }));
}
