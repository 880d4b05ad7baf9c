/**
 * Rows as a table of text (RFC 4180), nested fields with a dot in their name. A cell that a spreadsheet would take
 * for a formula gets a quote in front, unless it is a number: titles are written by anybody.
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
