import { EXPORT_COLUMNS, type ExportName } from '@oddlot/protocol';

/** Rows as text: a table by RFC 4180, or one JSON object a line. */

type ExportFormat = 'csv' | 'ndjson';

export const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
};

/** What comes before the first row. */
export function headOf(name: ExportName, format: ExportFormat): string {
  return format === 'csv' ? `${EXPORT_COLUMNS[name].join(',')}\r\n` : '';
}

export function textOf(name: ExportName, format: ExportFormat, rows: readonly object[]): string {
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const columns = EXPORT_COLUMNS[name];
  return rows
    .map((row) => `${columns.map((key) => cellOf(row[key as keyof typeof row])).join(',')}\r\n`)
    .join('');
}

/** What is absent and what is null is an empty cell; what is made of parts is its JSON. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = spared(typeof value === 'object' ? JSON.stringify(value) : String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table program takes such a cell for a formula, unless it is a number; texts are of whoever wrote them. */
function spared(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-\d+(\.\d+)?$/.test(text);
  return isFormula ? `'${text}` : text;
}
