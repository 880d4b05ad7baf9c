import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  flagName,
  settingsHelp,
  settingsIn,
  variableName,
} from '../../packages/host/src/settings/index.ts';
import { SETTING_GUIDES } from '../../scripts/write-settings.ts';
import { toSource } from '../../scripts/tidy/source.ts';
import { REPOSITORY } from '../support/venue-process.ts';

/** Each setting is declared once. The tests compare all other uses with that declaration. */

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');

describe.each(SETTING_GUIDES)('$program.command', ({ declared, program, sources }) => {
  const settings = settingsIn(program);

  test('each setting is in one group', () => {
    const keys = settings.map(([key]) => key);
    expect(keys).toEqual([...new Set(keys)]);
  });

  test('the full help lists all settings, and the default help about a dozen', () => {
    const all = settingsHelp(program, 'all');
    for (const [key, { isFileOnly }] of settings) {
      const variable = isFileOnly ? undefined : variableName(program, key);
      expect(all).toContain(isFileOnly ? `[[${key}]]` : `\n  --${flagName(key)}`);
      expect(all.replaceAll(/\s+/g, ' ')).toContain(
        `${variable === undefined ? '' : `environment ${variable}, `}file ${key}`,
      );
    }
    const everyday = settings.filter(([, { isEveryday }]) => isEveryday);
    expect(everyday.length).toBeGreaterThanOrEqual(10);
    expect(everyday.length).toBeLessThanOrEqual(13);
    expect(settingsHelp(program, 'everyday').match(/^ {2}--(?!help|config)/gm)).toHaveLength(
      everyday.length,
    );
    for (const text of [all, settingsHelp(program, 'everyday')]) {
      expect(text).not.toMatch(/undefined|`|\]\(/);
      expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(110);
    }
  });

  test('each setting has the unit that its name states', () => {
    const units = { Ms: 'milliseconds', Bytes: 'bytes', Usdc: 'USDC', Gwei: 'gwei', Bps: 'basis' };
    for (const [key, { expected }] of settings) {
      for (const [word, unit] of Object.entries(units)) {
        const isNamed = new RegExp(`${word}(?![a-z])`).test(key);
        expect([key, expected.startsWith(`a whole number of ${unit}`)]).toEqual([key, isNamed]);
      }
    }
  });

  test('every setting is read somewhere outside its declaration', () => {
    const files = sources.flatMap(codeIn);
    const isAt = (place: string, path: string): boolean =>
      place.endsWith('/') ? path.startsWith(place) : path === place;
    // If a declaring file had moved, its declarations would count as reads.
    expect(declared.filter((place) => !files.some(({ path }) => isAt(place, path)))).toEqual([]);
    const names = namesRead(
      files.filter(({ path }) => !declared.some((place) => isAt(place, path))),
    );
    expect(settings.map(([key]) => key).filter((key) => !names.has(key))).toEqual([]);
  });
});

type CodeFile = { readonly path: string; readonly text: string };

/**
 * Returns production code without tests and test helpers. A file is classified by its folder and
 * contents, not by its name.
 */
function codeIn(folder: string): CodeFile[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(path))
    .map((path) => ({ path: join(folder, path), text: read(join(folder, path)) }))
    .filter(({ text }) => /config|settings/i.test(text));
}

/**
 * Returns the names read from `config` or `settings`: as a property, by destructuring, or from a
 * parameter of that type.
 */
function namesRead(files: readonly CodeFile[]): ReadonlySet<string> {
  const code = files.map((file) => toSource(file).code).join('\n');
  const [properties, taken] = [
    /\b(?:config|settings)\.(\w+)/g,
    /(\{[^{}]*)\}\s*(?:=\s*(?:this\.#)?(?:config|settings)\b|:\s*(?:Pick<)?(?:\w*Config|\w*Settings)\b)/g,
  ].map((pattern) => [...code.matchAll(pattern)].map(([, found = '']) => found));
  const names = taken?.flatMap((object) => [...object.matchAll(/[{,]\s*(\w+)/g)]);
  return new Set([...(properties ?? []), ...(names ?? []).map(([, name = '']) => name)]);
}
