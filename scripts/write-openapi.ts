import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApi } from './openapi/async-api.ts';
import { type Node, REFERENCE, ROOT } from './openapi/definitions.ts';
import { openApi } from './openapi/open-api.ts';

/**
 * Writes the machine-readable descriptions of the API from the definitions that validate requests, the types of
 * answers, and the meanings and samples of the reference: `npm run write-openapi`.
 */
/** The generated files with their texts, by path in the repository. */
export function describedApi(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({
      [`${REFERENCE}/openapi.json`]: openApi(),
      [`${REFERENCE}/asyncapi.json`]: asyncApi(),
    }).map(([path, document]) => [path, formatted(path, document)]),
  );
}

function formatted(path: string, document: Node): string {
  const oxfmt = join(ROOT, 'node_modules', '.bin', 'oxfmt');
  const input = JSON.stringify(document, null, 2);
  const limits = { cwd: ROOT, input, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  return execFileSync(oxfmt, [`--stdin-filepath=${path}`], limits);
}

if (import.meta.main) {
  for (const [path, text] of describedApi()) writeFileSync(join(ROOT, path), text);
}
