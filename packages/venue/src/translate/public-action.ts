import { maskedCode } from './masked-code.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * An action as anybody may read it. It is what was signed, but for the access codes of a gate: who could read
 * those could use them (R-gate). The log, its hashes and whoever replays it have them as they are.
 */
export function publicAction<Action extends Fields>(action: Action): Action {
  const gate = fieldsOf(action['setGate']);
  const { accessCodes, grants } = gate;
  if (accessCodes === undefined && grants === undefined) return action;
  const setGate: Fields = {
    ...gate,
    ...(accessCodes === undefined ? {} : { accessCodes: publicCodes(fieldsOf(accessCodes)) }),
    ...(grants === undefined ? {} : { grants: publicGrants(fieldsOf(grants)) }),
  };
  return { ...action, setGate };
}

function publicCodes(change: Fields): Fields {
  const { add, remove } = change;
  return {
    ...change,
    ...(Array.isArray(add) ? { add: add.map(withMaskedCode) } : {}),
    ...(Array.isArray(remove) ? { remove: remove.map((code) => maskedCode(String(code))) } : {}),
  };
}

function publicGrants(change: Fields): Fields {
  const { add } = change;
  return Array.isArray(add) ? { ...change, add: add.map(withMaskedCode) } : change;
}

function withMaskedCode(entry: unknown): Fields {
  const fields = fieldsOf(entry);
  return { ...fields, code: maskedCode(String(fields['code'])) };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
