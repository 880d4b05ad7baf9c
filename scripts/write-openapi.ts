import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApi } from './openapi/async-api.ts';
import { type Node, REFERENCE, ROOT } from './openapi/definitions.ts';
import { openApi } from './openapi/open-api.ts';
import { pythonClient } from './openapi/python-client.ts';

/**
 * Writes the machine-readable descriptions of the API (`npm run write-openapi`). They are based on
 * the definitions that validate requests, the answer types, and the field meanings and samples in
 * the reference.
 */
/** Returns the texts of the generated files, keyed by path in the repository. */
export function describedApi(): ReadonlyMap<string, string> {
  const documents = { openapi: openApi(), asyncapi: asyncApi() };
  const files = Object.entries(documents).map(([name, document]) => {
    const path = `${REFERENCE}/${name}.json`;
    return [path, formatted(path, document)] as const;
  });
  return new Map([...files, ...pythonClient(documents.openapi, documents.asyncapi)]);
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
