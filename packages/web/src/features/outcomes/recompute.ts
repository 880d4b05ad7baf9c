import { checkResolution, type ResolutionFinding } from '@oddlot/sdk';
import { verbatimReader } from '../../market/venue.ts';

/**
 * Recomputes a resolution from unmodified texts, because displayed ones lack direction characters
 * and have a different hash.
 */
export async function recompute(instrumentId: number): Promise<readonly ResolutionFinding[]> {
  return checkResolution(await verbatimReader.info.outcomeResolution({ instrumentId }));
}
