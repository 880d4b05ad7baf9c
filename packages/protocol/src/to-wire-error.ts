import type * as z from 'zod';
import {
  MESSAGE_NAMES,
  MESSAGES,
  refusal,
  wireError,
  type Details,
  type WireError,
} from './errors.ts';
import type { IssueParams } from './primitives.ts';

type Issue = z.core.$ZodIssue;

/**
 * Turns the first fault that a schema found into a refusal. Schemas report in the order of their
 * fields, so the first one is the one that a reader of the request meets first.
 */
export function toWireError(
  issues: readonly Issue[],
  input: unknown,
  prefix: readonly PropertyKey[] = [],
): WireError {
  const issue = issues[0];
  if (issue === undefined) return wireError('BAD_REQUEST', MESSAGES.notAnObject());
  const params = paramsOf(issue);
  const path =
    issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  const value = valueAt(input, path);
  const name = nameOf([...prefix, ...path]);
  const details = detailsOf(fieldPath([...prefix, ...path]), value, allowedBy(issue, params));
  // A key that is reserved for later is declared as `never`.
  if (issue.code === 'invalid_type' && issue.expected === 'never') {
    return refusal('notAllowed', [], details);
  }
  if (params.refusal !== undefined) {
    const build = MESSAGES[params.refusal] as () => string;
    return wireError(MESSAGE_NAMES[params.refusal], build(), details);
  }
  if (value === undefined) return refusal('missingField', [name], details);
  const isCount = issue.code === 'too_small' || issue.code === 'too_big';
  if (isCount && issue.origin === 'array' && issue.message.includes(' must hold ')) {
    return wireError('BAD_REQUEST', issue.message, { field: details.field ?? '' });
  }
  return refusal('wrongType', [name], details);
}

/** A path in the way the interface writes it: `orders[3].p`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

function nameOf(path: readonly PropertyKey[]): string {
  return String(path.findLast((part) => typeof part === 'string') ?? 'action');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

function detailsOf(field: string, value: unknown, allowed: Details['allowed']): Details {
  const isScalar = typeof value === 'string' || typeof value === 'number' || value === null;
  return {
    ...(field === '' ? {} : { field }),
    ...(isScalar ? { got: value } : {}),
    ...(allowed === undefined ? {} : { allowed }),
  };
}

function paramsOf(issue: Issue): IssueParams {
  if (issue.code === 'custom') return (issue.params ?? {}) as IssueParams;
  if (issue.code !== 'invalid_union') return {};
  for (const nested of issue.errors.flat()) {
    const params = paramsOf(nested);
    if (params.allowed !== undefined || params.refusal !== undefined) return params;
  }
  return {};
}

function allowedBy(issue: Issue, params: IssueParams): Details['allowed'] {
  if (params.allowed !== undefined) return params.allowed;
  if (issue.code === 'invalid_value') {
    return issue.values.filter((value) => typeof value === 'string' || typeof value === 'number');
  }
  if (issue.code === 'too_big' && issue.origin !== 'array') return { max: Number(issue.maximum) };
  if (issue.code === 'too_small' && issue.origin !== 'array') return { min: Number(issue.minimum) };
  return undefined;
}
