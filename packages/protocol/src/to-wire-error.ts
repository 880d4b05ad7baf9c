import type * as z from 'zod';
import {
  type Details,
  detailsOf,
  fieldPath,
  nameOf,
  valueAt,
  type WireError,
  wireError,
} from './errors.ts';
import { MESSAGE_NAMES, MESSAGES, refusal } from './refusal.ts';
import type { IssueParams } from './primitives.ts';

type Issue = z.core.$ZodIssue;

/**
 * Converts the first fault of a schema to a refusal. Schemas report faults in the order of their
 * fields.
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
  // A key that is reserved for later use is declared as `never`.
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
