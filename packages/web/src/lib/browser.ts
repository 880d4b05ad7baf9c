import { useEffect, useState } from 'react';

const NAME = 'Oddlot';

export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? NAME : `${title} · ${NAME}`;
  }, [title]);
  useEffect(
    () => () => {
      document.title = NAME;
    },
    [],
  );
}

export function readText(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepText(name: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // Storage is denied or full. The page also works without these stored strings.
  }
}

/**
 * Formats rows as CSV (RFC 4180). Titles are user input, so cells that could run as formulas are
 * prefixed with a quote.
 */
export function csvOf(rows: readonly object[]): string {
  const flat = rows.map((row) => new Map(fieldsOf(row, '')));
  const names = [...new Set(flat.flatMap((fields) => [...fields.keys()]))];
  const lines = [names, ...flat.map((fields) => names.map((name) => fields.get(name) ?? ''))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function fieldsOf(value: object, before: string): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const path = before + name;
    if (inner === null || inner === undefined) return [[path, '']];
    if (Array.isArray(inner)) return [[path, inner.length === 0 ? '' : JSON.stringify(inner)]];
    return typeof inner === 'object' ? fieldsOf(inner, `${path}.`) : [[path, String(inner)]];
  });
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveFile(name: string, text: string): void {
  saveBlob(name, new Blob([text], { type: 'text/csv' }));
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

const PREFIX = 'oddlot.perps.';

export function useStored<Value>(name: string, initial: Value): [Value, (next: Value) => void] {
  const [value, setValue] = useState<Value>(() => {
    try {
      const text = readText(PREFIX + name);
      return text === null ? initial : (JSON.parse(text) as Value);
    } catch {
      return initial;
    }
  });
  const keep = (next: Value): void => {
    setValue(next);
    keepText(PREFIX + name, JSON.stringify(next));
  };
  return [value, keep];
}
