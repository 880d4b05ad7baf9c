import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLS, type ListedCall } from '../packages/hyperliquid/src/registry.ts';

/**
 * Writes the tables of Hyperliquid's calls into their page, based on the port's registry (`npm run
 * write-hyperliquid`).
 */

export const HYPERLIQUID_PAGE = 'docs/get-started/coming-from-hyperliquid.md';

const FIRST = '<!-- These tables are made by npm run write-hyperliquid. -->';
const LAST = '<!-- Here they end. -->';

/** Returns the page with up-to-date tables. */
export function withCalls(text: string): string {
  const [before, rest] = text.split(FIRST);
  const after = rest?.split(LAST)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`the place for the tables is missing: ${FIRST}`);
  }
  const tables = CALLS.map(({ calls, title }) => `### ${title}\n\n${tableOf(calls)}`);
  return `${before}${FIRST}\n\n${tables.join('\n\n')}\n\n${LAST}${after}`;
}

/** Returns a table with one row per note, because many calls share a note. */
function tableOf(calls: readonly ListedCall[]): string {
  const rows = new Map<string, string[]>();
  for (const { name, note, status } of calls) {
    const end = ` | ${status} | ${note} |`;
    rows.set(end, [...(rows.get(end) ?? []), `\`${name}\``]);
  }
  const lines = [...rows].map(([end, names]) => `| ${names.join(', ')}${end}`);
  return ['| Hyperliquid | Here | |', '|---|---|---|', ...lines].join('\n');
}

if (import.meta.main) {
  const path = join(import.meta.dirname, '..', HYPERLIQUID_PAGE);
  writeFileSync(path, withCalls(readFileSync(path, 'utf8')));
}
