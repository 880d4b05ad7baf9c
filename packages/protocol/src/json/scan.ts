import { JsonFault, Transcoder } from './transcoder.ts';

/** A rejected text: the reason, and the position in the text. */
export type ScanFault = { readonly ok: false; readonly message: string; readonly at: number };

/** An /exchange body that passed the strict rules. */
type ScannedEnvelope = {
  readonly ok: true;
  /** MessagePack of the value of `action`, keys in the order of the text; undefined when absent. */
  readonly action: Uint8Array | undefined;
  /** The position of the value of `action` in the text. */
  readonly actionRange: readonly [start: number, end: number] | undefined;
};

const transcoder = new Transcoder();

/** Checks the text of an /exchange body and encodes its action for hashing. */
export function scanEnvelope(text: string): ScannedEnvelope | ScanFault {
  return faultAsValue(() => {
    const wanted = transcoder.pick(text, 'action');
    if (wanted === undefined) return { ok: true, action: undefined, actionRange: undefined };
    return { ok: true, action: wanted.bytes, actionRange: [wanted.start, wanted.end] };
  });
}

/**
 * MessagePack of a whole body, keys in the order of the text; undefined for a rejected one. The
 * next text overwrites its buffer.
 */
export function scanBody(text: string): Uint8Array | undefined {
  try {
    return transcoder.view(text);
  } catch (fault) {
    if (fault instanceof JsonFault) return undefined;
    throw fault;
  }
}

/** Validates a JSON object and returns the text of one field, as written. */
export function scanField(
  text: string,
  key: string,
): { readonly ok: true; readonly value: string | undefined } | ScanFault {
  return faultAsValue(() => {
    const wanted = transcoder.pick(text, key);
    return { ok: true, value: wanted && text.slice(wanted.start, wanted.end) };
  });
}

/** Checks a text against the strict rules; an accepted text has one meaning in `JSON.parse` as well. */
export function checkJson(text: string): { readonly ok: true } | ScanFault {
  return faultAsValue(() => {
    transcoder.check(text);
    return { ok: true };
  });
}

/** MessagePack of a whole text, keys in its order. Throws `JsonFault` on a rejected text. */
export function jsonToMsgpack(text: string): Uint8Array {
  return transcoder.run(text);
}

function faultAsValue<Answer>(scan: () => Answer): Answer | ScanFault {
  try {
    return scan();
  } catch (fault) {
    if (fault instanceof JsonFault) return { ok: false, message: fault.message, at: fault.at };
    throw fault;
  }
}
