import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSamples, type Part, type Samples } from './samples.ts';
import { recordSamples } from './record-samples.ts';

/** Writes real requests and answers into the reference pages (`npm run write-samples`). */

const REFERENCE = join(import.meta.dirname, '../docs/reference');

/** Returns the pages with samples, and the samples of each. */
function samplePages(
  samples: Samples,
): readonly (readonly [path: string, samples: ReadonlyMap<string, readonly Part[]>])[] {
  return readdirSync(REFERENCE).flatMap((name) => {
    const path = join(REFERENCE, name);
    if (name === 'exchange.md') return [[path, samples.actions] as const];
    if (name === 'streams.md') return [[path, samples.channels] as const];
    if (name === 'info.md') return [[path, samples.services] as const];
    return name.startsWith('info-') ? [[path, samples.queries] as const] : [];
  });
}

if (import.meta.main) {
  for (const [path, samples] of samplePages(await recordSamples())) {
    writeFileSync(path, withSamples(readFileSync(path, 'utf8'), samples));
  }
}
