import { scanField, type ExplainContext } from '@oddlot/protocol';

/**
 * What the recover threads are told to explain. A job is one text, like all others: what the venue
 * knows on the first line, then the request as it was received.
 */

/** The text of a job. JSON has no line breaks of its own, so the first one ends the context. */
export function explainJob(context: ExplainContext, request: string): string {
  return `${JSON.stringify(context)}\n${request}`;
}

/** Reads a job; the envelope is the text that the client wrote, key order and all. */
export function readExplainJob(
  job: string,
): { context: ExplainContext; envelope: string } | { fault: string; at: number } {
  const end = job.indexOf('\n');
  const context = JSON.parse(job.slice(0, end)) as ExplainContext;
  const scanned = scanField(job.slice(end + 1), 'envelope');
  if (!scanned.ok) return { fault: scanned.message, at: scanned.at };
  if (scanned.value === undefined) return { fault: 'no envelope', at: 0 };
  return { context, envelope: scanned.value };
}
