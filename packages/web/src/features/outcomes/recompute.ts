import { checkResolution, type ResolutionFinding } from '@oddlot/sdk';
import { letterReader } from '../../market/venue.ts';

/**
 * Computes a settlement again, in the browser, from what the venue has to the letter: texts that are shown were
 * freed of signs that turn them, and would have another hash. It hashes, so it is loaded when somebody asks.
 */
export async function recompute(instrumentId: number): Promise<readonly ResolutionFinding[]> {
  return checkResolution(await letterReader.info.outcomeResolution({ instrumentId }));
}
