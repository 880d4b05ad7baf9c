import { checkResolution, type ResolutionFinding } from '@oddlot/sdk';
import { letterReader } from '../../market/venue.ts';

/**
 * Recomputes a resolution in the browser from unmodified texts; displayed texts have direction characters removed,
 * which changes the hash. Loaded on demand because of the hash library.
 */
export async function recompute(instrumentId: number): Promise<readonly ResolutionFinding[]> {
  return checkResolution(await letterReader.info.outcomeResolution({ instrumentId }));
}
